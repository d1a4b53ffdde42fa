// What a server asks and says while it is called reaches the client of that call, and nobody else.
#include "tests/upstream/fixture.h"

namespace {

using namespace upstream_tests;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UpstreamAsking : public UpstreamTest {
protected:
    UpstreamAsking() {
        client.answers_to["roots/list"] =
            json::object{{"roots", json::array{json::object{{"uri", "file:///home/ann"}, {"name", "home"}}}}};
        client.answers_to["elicitation/create"] = json::object{{"action", "decline"}};
    }

    void ask_for(std::string_view method) {
        arguments = json::object{{"method", method}, {"params", json::object{{"message", "May I?"}}}};
    }
    std::string said_to_client(const std::string& tool) {
        auto result = run_task(loop, calling(client, tool));
        return result ? text_of(*result) : result.error().message;
    }

    FakeClient client{"one"};
};

TEST_F(UpstreamAsking, DeclaresWhatTheClientAnswers) {
    begin();
    EXPECT_EQ(said_to_client("capabilities"), R"({"roots":{},"elicitation":{}})");
}

TEST_F(UpstreamAsking, NamesTheClientAndNotUs) {
    begin();
    EXPECT_EQ(said_to_client("client"), R"({"name":"Ann's","version":"7"})");
}

TEST_F(UpstreamAsking, DeclaresNothingForCallersWithoutAConnection) {
    begin();
    FakeClient stateless("");
    stateless.answers_to = client.answers_to;
    auto result = run_task(loop, calling(stateless, "capabilities"));
    EXPECT_EQ(text_of(*result), "{}");
}

TEST_F(UpstreamAsking, HandsQuestionsOnAndAnswersBack) {
    begin();
    ask_for("elicitation/create");
    EXPECT_EQ(said_to_client("ask"), R"({"action":"decline"})");
    EXPECT_THAT(client.asked, ElementsAre(R"(elicitation/create {"message":"May I?"})"));
}

TEST_F(UpstreamAsking, HandsRootsOnAndKnowsWhereLinksBegin) {
    begin();
    ask_for("roots/list");
    auto result = run_task(loop, calling(client, "ask"));
    EXPECT_THAT(text_of(*result), HasSubstr("file:///home/ann"));
    EXPECT_EQ(result->link_base, "/home/ann");
}

TEST_F(UpstreamAsking, AnswersWithAnErrorWhatTheClientDidNotDeclare) {
    begin();
    ask_for("sampling/createMessage");
    EXPECT_THAT(said_to_client("ask"), HasSubstr("-32601"));
    EXPECT_THAT(client.asked, IsEmpty());
}

TEST_F(UpstreamAsking, PutsQuestionsToTheClientOfTheLatestCall) {
    begin();
    FakeClient other("one");
    other.answers_to = client.answers_to;
    Running earlier = start(calling(other, "forget"));
    EXPECT_EQ(said_to_client("echo"), R"({"a":1})");  // behind it, so it has arrived
    ask_for("elicitation/create");
    EXPECT_EQ(said_to_client("ask"), R"({"action":"decline"})");
    EXPECT_THAT(other.asked, IsEmpty());
}

TEST_F(UpstreamAsking, TakesAQuestionBackWhenTheServerDoes) {
    begin();
    client.silent.emplace(loop);
    ask_for("elicitation/create");
    EXPECT_EQ(said_to_client("withdraw"), "withdrawn");
    EXPECT_EQ(client.asked.size(), 1U);
    EXPECT_EQ(client.over, 1);
}

TEST_F(UpstreamAsking, TakesAQuestionBackWhenItsCallIsCancelled) {
    begin();
    client.silent.emplace(loop);
    ask_for("elicitation/create");
    Running running = start(calling(client, "ask"));
    run_until(loop, [&] { return client.asked.size() == 1; });
    EXPECT_EQ(client.over, 0);
    running.cancel();
    EXPECT_EQ(client.over, 1);
}

TEST_F(UpstreamAsking, HandsLogMessagesOn) {
    begin();
    EXPECT_EQ(said_to_client("log"), "logged");
    EXPECT_THAT(client.logged, ElementsAre("fake: \"careful\""));
}

}  // namespace
