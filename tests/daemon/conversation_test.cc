#include "daemon/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "util/json.h"
#include "util/strings.h"

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace daemons {
namespace {

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";

std::vector<std::string> lines(const std::string& text) {
    auto all = split(text, '\n');
    all.pop_back();
    for (const std::string& line : all) EXPECT_TRUE(json::parse(line)) << line;
    return all;
}

// A client that is past its handshake.
Conversation begun() {
    Conversation conversation;
    conversation.sent(kInitialize);
    EXPECT_TRUE(conversation.received(R"({"jsonrpc":"2.0","id":0,"result":{}})"));
    conversation.sent(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    return conversation;
}

TEST(Conversation, FailsTheCallsThatNobodyAnswered) {
    Conversation conversation = begun();
    conversation.sent(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})");
    conversation.sent(R"({"jsonrpc":"2.0","id":"two","method":"tools/call"})");
    conversation.received(R"({"jsonrpc":"2.0","id":1,"result":{}})");

    EXPECT_THAT(
        lines(conversation.lose()),
        ElementsAre(AllOf(HasSubstr(R"("id":"two","error":{"code":-32000)"), HasSubstr("has ended"))));
    EXPECT_THAT(lines(conversation.lose()), IsEmpty());
}

TEST(Conversation, DoesNotFailACallThatWasCancelled) {
    Conversation conversation = begun();
    conversation.sent(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})");
    conversation.sent(R"({"jsonrpc":"2.0","method":"notifications\/cancelled","params":{"requestId":1}})");

    EXPECT_THAT(lines(conversation.lose()), IsEmpty());
}

TEST(Conversation, TakesBackWhatTheDaemonAsked) {
    Conversation conversation = begun();
    conversation.received(R"({"jsonrpc":"2.0","id":0,"method":"roots/list"})");
    conversation.received(R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create"})");
    conversation.sent(R"({"jsonrpc":"2.0","id":0,"result":{"roots":[]}})");

    EXPECT_THAT(lines(conversation.lose()),
                ElementsAre(AllOf(HasSubstr("notifications/cancelled"), HasSubstr(R"("requestId":1)"))));
}

TEST(Conversation, IntroducesTheClientToANewDaemonUnseen) {
    Conversation conversation = begun();
    conversation.sent(R"({"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"debug"}})");
    conversation.sent(R"({"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"a:1"}})");
    conversation.sent(R"({"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"a:2"}})");
    conversation.sent(R"({"jsonrpc":"2.0","id":8,"method":"resources/unsubscribe","params":{"uri":"a:1"}})");
    conversation.lose();

    auto replayed = lines(conversation.replay());
    EXPECT_THAT(replayed,
                ElementsAre(HasSubstr(R"("method":"initialize","params":{"protocolVersion":"2025-11-25"})"),
                            HasSubstr("notifications/initialized"),
                            HasSubstr(R"("method":"logging/setLevel","params":{"level":"debug"})"),
                            HasSubstr(R"("method":"resources/subscribe","params":{"uri":"a:2"})")));
    EXPECT_THAT(replayed[0], Not(HasSubstr(R"("id":0)")));
    auto id = json::serialize(*json::find(*json::parse(replayed[0]), "id"));
    EXPECT_FALSE(conversation.received(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})"));
}

TEST(Conversation, RepeatsAnInitializeWithoutAnswerOnce) {
    Conversation conversation;
    conversation.sent(kInitialize);

    EXPECT_THAT(lines(conversation.lose()), IsEmpty());
    EXPECT_TRUE(conversation.awaits_initialize());
    EXPECT_THAT(lines(conversation.replay()), ElementsAre(kInitialize));
    EXPECT_THAT(lines(conversation.lose()), ElementsAre(HasSubstr(R"("id":0,"error")")));
    EXPECT_FALSE(conversation.awaits_initialize());
}

TEST(Conversation, HasNothingToTellOfAClientWithoutHandshake) {
    Conversation conversation;
    conversation.sent(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}})");
    EXPECT_THAT(conversation.replay(), IsEmpty());
}

}  // namespace
}  // namespace daemons
