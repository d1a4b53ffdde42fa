#include "util/log.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "util/files.h"
#include "util/json.h"

using testing::HasSubstr;
using testing::Not;

namespace {

// A log file of its own for each test.
class LogTest : public testing::Test {
protected:
    ~LogTest() override { std::filesystem::remove(file_); }
    std::string text() const { return read_file(file_).value_or(""); }

    std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                  ("troupe-log-" + std::to_string(::getpid()) + "-" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

}  // namespace

TEST_F(LogTest, WritesFieldsAsJson) {
    Log log = std::move(Log::create({.format = LogFormat::Json, .file = file_})).value();
    log.info("listening", {{"port", 8931}, {"host", "a \"b\"\n"}});

    json::value line = json::parse(text()).value();
    EXPECT_EQ(line.at("message").as_string(), "listening");
    EXPECT_EQ(line.at("level").as_string(), "info");
    EXPECT_EQ(line.at("port").as_int64(), 8931);
    EXPECT_EQ(line.at("host").as_string(), "a \"b\"\n");
}

TEST_F(LogTest, KeepsATextLineOneLineWhateverAClientSent) {
    Log log = std::move(Log::create({.file = file_})).value();
    log.warn("bad\nclient", {{"name", "x\ny"}});

    std::string written = text();
    EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 1);
    EXPECT_THAT(text(), HasSubstr("warn bad client name=\"x y\""));
}

TEST_F(LogTest, HandsOnWhatSomebodyElseWroteWithoutItsSecrets) {
    Log log = std::move(Log::create({.level = LogLevel::Error, .file = file_})).value();
    log.hide("hunter2");
    log.verbatim("  pw:mcp:test\tuses hunter2");

    EXPECT_EQ(text(), "  pw:mcp:test\tuses ***\n");
}

TEST_F(LogTest, LeavesOutWhatIsBelowItsLevel) {
    Log log = std::move(Log::create({.level = LogLevel::Warn, .file = file_})).value();
    log.info("quiet");
    log.error("loud");

    EXPECT_THAT(text(), Not(HasSubstr("quiet")));
    EXPECT_THAT(text(), HasSubstr("loud"));
}

TEST_F(LogTest, NeverShowsAHiddenText) {
    Log log = std::move(Log::create({.file = file_})).value();
    log.hide("s3cret");
    log.hide("other");
    log.info("token s3cret other s3cret", {{"header", "Bearer s3cret"}});

    EXPECT_THAT(text(), Not(HasSubstr("s3cret")));
    EXPECT_THAT(text(), Not(HasSubstr("other")));
    EXPECT_THAT(text(), HasSubstr("***"));
}

TEST_F(LogTest, PrintsTheChannelsThatWereAskedFor) {
    Log log = std::move(Log::create({.file = file_, .channels = "other, pw:mcp:*"})).value();
    log.channel("pw:mcp:test", "create context");
    log.channel("pw:api", "nobody asked");
    EXPECT_EQ(text(), "pw:mcp:test create context\n");
}

TEST_F(LogTest, NamesTheFileItCannotWrite) {
    auto log = Log::create({.file = "/nonexistent/dir/x.log"});
    ASSERT_FALSE(log.has_value());
    EXPECT_THAT(log.error().message, HasSubstr("/nonexistent/dir/x.log"));
}

TEST_F(LogTest, DropsLinesInsteadOfWaitingForAReader) {
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    int reader = ::open(file_.c_str(), O_RDONLY | O_NONBLOCK);
    Log log = std::move(Log::create({.file = file_})).value();
    for (int i = 0; i < 200; ++i) log.info(std::string(2000, 'x'));  // far more than a pipe holds

    char buffer[4096];
    while (::read(reader, buffer, sizeof buffer) > 0) {
    }
    log.info("again");
    std::string rest;
    for (ssize_t count; (count = ::read(reader, buffer, sizeof buffer)) > 0;)
        rest.append(buffer, static_cast<std::size_t>(count));
    ::close(reader);
    EXPECT_THAT(rest, HasSubstr("dropped"));
    EXPECT_THAT(rest, HasSubstr("again"));
}
