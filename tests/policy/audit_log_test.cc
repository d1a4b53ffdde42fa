#include "policy/audit_log.h"

#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"

namespace {

using policy::AuditLog;
using policy::verify_audit;
using testing::HasSubstr;
using testing::IsEmpty;

class AuditLogTest : public testing::Test {
protected:
    AuditLogTest() { std::filesystem::create_directories(directory); }
    ~AuditLogTest() override { std::filesystem::remove_all(directory); }
    AuditLog open() {
        return AuditLog(file, [this](const std::string& trouble) { troubles.push_back(trouble); });
    }
    std::string text() { return read_file(file).value_or(""); }

    std::filesystem::path directory =
        std::filesystem::temp_directory_path() / ("troupe-audit-" + hex_encode(random_bytes(8)));
    std::filesystem::path file = directory / "below" / "audit.log";
    std::vector<std::string> troubles;
};

TEST_F(AuditLogTest, KeepsWhatWasDeniedAndWhy) {
    open().denied({"https://evil.test/", "the blocked domain evil.test", {"shopping", "ann"}});

    EXPECT_THAT(text(), AllOf(HasSubstr(R"("event":"denied")"), HasSubstr(R"("what":"https://evil.test/")"),
                              HasSubstr(R"("session":"shopping","principal":"ann")"),
                              HasSubstr(R"("rule":"the blocked domain evil.test")")));
    struct stat about{};
    ::stat(file.c_str(), &about);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(AuditLogTest, KeepsWhatWasConfirmed) {
    open().confirmed({"tool browser_click", "security.confirm"});

    EXPECT_THAT(text(), HasSubstr(R"("event":"confirmed","what":"tool browser_click")"));
}

TEST_F(AuditLogTest, IsOneChainOverSeveralServers) {
    AuditLog first = open(), second = open();
    first.denied({"a", "r"});
    second.denied({"b", "r"});
    first.denied({"c", "r"});

    auto verified = verify_audit(file);

    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(*verified, 3u);
}

TEST_F(AuditLogTest, ShowsWhenAnEntryWasChangedOrTakenOut) {
    AuditLog log = open();
    for (const char* what : {"a", "b", "c"}) log.denied({what, "rule"});
    auto lines = split(text(), '\n');

    std::ofstream(file) << lines[0] << "\n" << lines[2] << "\n";
    EXPECT_THAT(verify_audit(file).error().message, HasSubstr("line 2"));
    lines[1].replace(lines[1].find("rule"), 4, "RULE");
    std::ofstream(file) << lines[0] << "\n" << lines[1] << "\n" << lines[2] << "\n";
    EXPECT_FALSE(verify_audit(file));
}

TEST_F(AuditLogTest, CountsWhatAFloodWouldWrite) {
    AuditLog log = open();

    for (int i = 0; i < 1000; ++i) log.denied({"x", "r"});

    EXPECT_LT(*verify_audit(file), 1000u);
}

TEST_F(AuditLogTest, ComplainsOnceWhenItCannotWrite) {
    std::ofstream(directory / "below") << "in the way";
    AuditLog log = open();

    log.denied({"a", "r"});
    log.denied({"b", "r"});

    EXPECT_EQ(troubles.size(), 1u);
}

}  // namespace
