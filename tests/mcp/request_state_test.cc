#include "mcp/request_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;
using namespace std::chrono_literals;

namespace {

const auto kNow = mcp::RequestStateSealer::Clock::time_point(std::chrono::hours(500'000));

mcp::Request call(std::string_view arguments) {
    return {.id = 1,
            .method = "tools/call",
            .params = {{"name", "buy"}, {"arguments", json::parse(arguments).value()}}};
}

}  // namespace

TEST(RequestState, GivesTheAnswersBackToTheSameRequest) {
    mcp::RequestStateSealer sealer;
    std::string state = sealer.seal(call(R"({"a":1,"b":2})"), "ada", {{"name", "x"}}, kNow);

    auto answers = sealer.unseal(state, call(R"({"b":2,"a":1})"), "ada", kNow + 1min);
    ASSERT_TRUE(answers.has_value()) << answers.error().message;
    EXPECT_EQ(answers->at("name").as_string(), "x");
}

TEST(RequestState, IsWorthNothingForAnotherRequestCallerServerOrTime) {
    mcp::RequestStateSealer sealer, other;
    std::string state = sealer.seal(call(R"({"a":1})"), "ada", {}, kNow);

    EXPECT_THAT(sealer.unseal(state, call(R"({"a":2})"), "ada", kNow).error().message,
                HasSubstr("another request"));
    EXPECT_THAT(sealer.unseal(state, call(R"({"a":1})"), "bob", kNow).error().message,
                HasSubstr("another request"));
    EXPECT_THAT(sealer.unseal(state, call(R"({"a":1})"), "ada", kNow + 1h).error().message,
                HasSubstr("expired"));
    EXPECT_THAT(other.unseal(state, call(R"({"a":1})"), "ada", kNow).error().message, HasSubstr("signature"));
}

TEST(RequestState, IsNeverTheSameTwice) {
    mcp::RequestStateSealer sealer;
    EXPECT_NE(sealer.seal(call("{}"), "", {}, kNow), sealer.seal(call("{}"), "", {}, kNow));
}

TEST(RequestState, NoticesEveryChangedByte) {
    mcp::RequestStateSealer sealer;
    std::string state = sealer.seal(call("{}"), "", {{"name", "x"}}, kNow);
    for (std::size_t i = 0; i < state.size(); ++i) {
        std::string changed = state;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(sealer.unseal(changed, call("{}"), "", kNow).has_value()) << "byte " << i;
    }
    EXPECT_FALSE(sealer.unseal("", call("{}"), "", kNow).has_value());
    EXPECT_FALSE(sealer.unseal(state + "x", call("{}"), "", kNow).has_value());
}
