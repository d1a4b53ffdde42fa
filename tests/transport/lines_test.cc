#include "transport/lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/protocol.h"
#include "util/strings.h"

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

// A client on two pipes.
class LinesTest : public testing::Test {
protected:
    LinesTest() {
        EXPECT_EQ(::pipe2(input_, O_CLOEXEC), 0);
        EXPECT_EQ(::pipe2(output_, O_CLOEXEC), 0);
        ::fcntl(output_[0], F_SETFL, O_NONBLOCK);
    }
    ~LinesTest() override {
        ::close(input_[1]);
        ::close(output_[0]);
    }
    void start(transport::LineOptions options = {}) {
        client_ = transport::LineClient::start(protocol.server, input_[0], output_[1], {}, options, {},
                                               [this] { closed = true; });
    }
    void write(std::string_view text) {
        ASSERT_EQ(::write(input_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void end_input() { ::close(std::exchange(input_[1], -1)); }
    std::vector<std::string> run_to_end() {
        protocol.loop.restart();
        protocol.loop.run();
        return read();
    }
    std::vector<std::string> read() {
        std::string text;
        char buffer[65536];
        for (ssize_t count; (count = ::read(output_[0], buffer, sizeof buffer)) > 0;)
            text.append(buffer, static_cast<std::size_t>(count));
        auto lines = split(text, '\n');
        lines.pop_back();
        return lines;
    }

    fakes::Protocol protocol;
    std::shared_ptr<transport::LineClient> client_;
    bool closed = false;
    int input_[2], output_[2];
};

constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr std::string_view kPong = R"({"jsonrpc":"2.0","id":1,"result":{}})";

}  // namespace

TEST_F(LinesTest, AnswersEachLineAndEndsWithTheInput) {
    start();
    write(std::string(kPing) + "\r\n\n" + std::string(kPing) + "\n" + std::string(kPing));
    end_input();
    EXPECT_THAT(run_to_end(), ElementsAre(kPong, kPong, kPong));
    EXPECT_TRUE(closed);
}

TEST_F(LinesTest, PutsALineTogetherThatComesInPieces) {
    start();
    for (char c : kPing) {
        write(std::string_view(&c, 1));
        protocol.settle();
    }
    write("\n");
    end_input();
    EXPECT_THAT(run_to_end(), ElementsAre(kPong));
}

TEST_F(LinesTest, RefusesALineThatIsTooLongAndGoesOn) {
    start({.max_line = 100'000});
    std::string long_line(50'000, 'x');
    for (int i = 0; i < 4; ++i) {
        write(long_line);
        protocol.settle();
    }
    write("\n" + std::string(kPing) + "\n");
    end_input();
    auto lines = run_to_end();
    ASSERT_THAT(lines, SizeIs(2));
    EXPECT_THAT(lines[0], HasSubstr("at most 100000 bytes"));
    EXPECT_EQ(lines[1], kPong);
}

TEST_F(LinesTest, TakesAFirstLineThatSaysWhoTheClientIs) {
    std::vector<std::string> seen;
    start({.introduce = [&](std::string_view line) {
        seen.emplace_back(line);
        return std::optional(transport::Introduction{.answer = "welcome", .directory = "/a"});
    }});
    write("it is me\n" + std::string(kPing) + "\n" + std::string(kPing) + "\n");
    end_input();
    EXPECT_THAT(run_to_end(), ElementsAre("welcome", kPong, kPong));
    EXPECT_THAT(seen, ElementsAre("it is me"));
}

TEST_F(LinesTest, TakesAMessageForOneEvenWhereAClientMaySayWhoItIs) {
    start({.introduce = [](std::string_view) { return std::optional<transport::Introduction>(); }});
    write(std::string(kPing) + "\n");
    end_input();
    EXPECT_THAT(run_to_end(), ElementsAre(kPong));
}

TEST_F(LinesTest, GivesACallUnderWayAMomentAfterTheInputEnds) {
    start({.grace = std::chrono::milliseconds(60'000)});
    write(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}})"
          "\n");
    end_input();
    protocol.settle();
    protocol.waiting.released.set(1);
    EXPECT_THAT(run_to_end().back(), HasSubstr("released"));
    EXPECT_TRUE(closed);
}

TEST_F(LinesTest, AnswersACallThatOutlivesTheMomentWithAnError) {
    start({.grace = std::chrono::milliseconds(1)});
    write(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}})"
          "\n");
    end_input();
    EXPECT_THAT(run_to_end().back(), AllOf(HasSubstr(R"("id":1,"error")"), HasSubstr("-32000")));
    EXPECT_TRUE(closed);
    EXPECT_EQ(protocol.waiting.cleaned_up, 1);
}

TEST_F(LinesTest, EndsWhenNobodyReadsItsOutputAnyMore) {
    ::signal(SIGPIPE, SIG_IGN);
    start();
    ::close(output_[0]);
    write(std::string(kPing) + "\n");
    protocol.loop.restart();
    protocol.loop.run();
    EXPECT_TRUE(closed);
    output_[0] = ::open("/dev/null", O_RDONLY);
}
