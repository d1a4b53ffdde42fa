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
        return AuditLog(place(), [this](const std::string& trouble) { troubles.push_back(trouble); });
    }
    policy::AuditPlace place() const { return {file, directory / "state" / "audit.end", "the key"}; }
    Result<std::size_t> verify() const { return verify_audit(place()); }
    std::string problem() const {
        auto verified = verify();
        return verified ? "none" : verified.error().message;
    }
    void write_entries(int count) {
        AuditLog log = open();
        for (int i = 1; i <= count; ++i) log.denied({"thing " + std::to_string(i), "rule"});
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

    auto verified = verify();

    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(*verified, 3u);
}

TEST_F(AuditLogTest, ShowsWhenAnEntryWasChangedOrTakenOut) {
    AuditLog log = open();
    for (const char* what : {"a", "b", "c"}) log.denied({what, "rule"});
    auto lines = split(text(), '\n');

    std::ofstream(file) << lines[0] << "\n" << lines[2] << "\n";
    EXPECT_THAT(problem(), HasSubstr("line 2"));
    lines[1].replace(lines[1].find("rule"), 4, "RULE");
    std::ofstream(file) << lines[0] << "\n" << lines[1] << "\n" << lines[2] << "\n";
    EXPECT_FALSE(verify());
}

TEST_F(AuditLogTest, CountsWhatAFloodWouldWrite) {
    AuditLog log = open();

    for (int i = 0; i < 1000; ++i) log.denied({"x", "r"});

    EXPECT_LT(*verify(), 1000u);
}

TEST_F(AuditLogTest, KeepsTheRefusalsOfOnePageThatTriesEveryWayAtOnce) {
    write_entries(100);

    EXPECT_EQ(*verify(), 100u);
}

TEST_F(AuditLogTest, LetsNoSessionHideTheRefusalsOfAnother) {
    AuditLog log = open();

    for (int i = 0; i < 1000; ++i) log.denied({"x", "r", {"flood", "bot"}});
    log.denied({"https://exfiltrate.test/", "r", {"quiet", "bot"}});

    EXPECT_THAT(text(), HasSubstr("https://exfiltrate.test/"));
    EXPECT_THAT(text(), HasSubstr(R"("leftOut":)"));
}

TEST_F(AuditLogTest, ComplainsOnceWhenItCannotWrite) {
    std::ofstream(directory / "below") << "in the way";
    AuditLog log = open();

    log.denied({"a", "r"});
    log.denied({"b", "r"});

    EXPECT_EQ(troubles.size(), 1u);
}

TEST_F(AuditLogTest, ShowsThatItsEndIsMissing) {
    write_entries(5);
    auto lines = split(text(), '\n');

    std::ofstream(file) << lines[0] << "\n" << lines[1] << "\n";
    EXPECT_THAT(problem(), HasSubstr("lacks its last 3 of 5 entries"));
    std::ofstream(file) << "";
    EXPECT_THAT(problem(), HasSubstr("lacks its last 5 of 5 entries"));
    std::filesystem::remove(file);
    EXPECT_THAT(problem(), HasSubstr("is gone; it had 5 entries"));
}

TEST_F(AuditLogTest, StillShowsACutWhenTheServerHasWrittenBehindIt) {
    write_entries(4);
    auto lines = split(text(), '\n');
    std::ofstream(file) << lines[0] << "\n" << lines[1] << "\n";

    write_entries(2);

    EXPECT_THAT(problem(), HasSubstr("was changed at line 3"));
    EXPECT_THAT(troubles, testing::ElementsAre(HasSubstr("is not as this server left it")));
}

TEST_F(AuditLogTest, TakesEntriesFromNobodyElse) {
    write_entries(2);
    auto lines = split(text(), '\n');
    // A whole log of somebody else's, with a key of their own and a mark of its end.
    policy::AuditPlace theirs{directory / "theirs.log", directory / "theirs.end", "another key"};
    AuditLog(theirs, [](const std::string&) {}).denied({"forged", "rule"});
    std::string forged = read_file(theirs.file).value_or("");

    std::ofstream(file, std::ios::app) << forged;
    EXPECT_THAT(problem(), HasSubstr("was changed at line 3"));
    std::ofstream(file) << forged;
    EXPECT_THAT(problem(), HasSubstr("was changed at line 1"));
    std::filesystem::copy_file(theirs.end_mark, place().end_mark,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_THAT(problem(), HasSubstr("was changed at line 1"));
    // An entry of ours is not a mark of ours.
    std::ofstream(file) << lines[0] << "\n";
    std::ofstream(place().end_mark) << lines[0] << "\n";
    EXPECT_THAT(problem(), HasSubstr("is unknown"));
    std::filesystem::remove(place().end_mark);
    EXPECT_THAT(problem(), HasSubstr("is unknown"));
}

TEST_F(AuditLogTest, GoesOnWhereACrashKeptAnEntryFromBeingMarked) {
    write_entries(1);
    std::string mark = read_file(place().end_mark).value_or("");
    write_entries(2);
    std::ofstream(place().end_mark) << mark;
    EXPECT_EQ(*verify(), 3u);

    write_entries(1);

    EXPECT_EQ(*verify(), 4u) << problem();
    EXPECT_THAT(troubles, IsEmpty());
}

TEST_F(AuditLogTest, PutsTheLogOfAnEarlierVersionAside) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file)
        << R"({"time":"t","event":"denied","what":"x","rule":"r","previous":"00","hash":"11"})" << "\n";

    write_entries(2);

    EXPECT_EQ(*verify(), 2u) << problem();
    EXPECT_THAT(read_file(file.string() + ".unkeyed").value_or(""), HasSubstr("\"hash\":\"11\""));
}

TEST_F(AuditLogTest, FollowsNoLink) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(directory / "elsewhere") << "";
    std::filesystem::create_symlink(directory / "elsewhere", file);

    write_entries(1);

    EXPECT_THAT(read_file(directory / "elsewhere").value_or(""), IsEmpty());
    EXPECT_EQ(troubles.size(), 1u);
}

}  // namespace
