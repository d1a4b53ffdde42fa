#include "mcp/call_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/protocol.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Reads and completes as it is asked to, and counts it.
class Pages final : public tools::ResourceProvider {
public:
    std::vector<tools::Resource> list(const tools::Caller&) const override {
        return {{.uri = "test://a", .name = "a"}};
    }
    std::optional<tools::Access> reading(const std::string& uri) const override {
        if (!uri.starts_with("test://")) return std::nullopt;
        return tools::Access{{"browser_snapshot", "", tools::Effect::ReadsPage}, "shop"};
    }
    Task<std::optional<std::vector<tools::ResourceContents>>> read(std::string uri, tools::Client&) override {
        ++reads;
        if (uri != "test://a") co_return std::nullopt;
        co_return std::vector<tools::ResourceContents>{{.uri = uri, .text = "words of a page"}};
    }
    std::optional<tools::Access> completing(const tools::CompletionRequest&) const override {
        return tools::Access{{"history_list", "history", tools::Effect::ReadsServer}};
    }
    Task<std::vector<std::string>> complete(tools::CompletionRequest, tools::Client&) override {
        ++reads;
        co_return std::vector<std::string>{"secret"};
    }

    int reads = 0;
};

// One that completes without saying what that stands for.
class Undeclared final : public tools::ResourceProvider {
public:
    std::vector<tools::Resource> list(const tools::Caller&) const override {
        return {{.uri = "other://x", .name = "x"}};
    }
    std::optional<tools::Access> reading(const std::string&) const override { return std::nullopt; }
    Task<std::optional<std::vector<tools::ResourceContents>>> read(std::string, tools::Client&) override {
        ++asked;
        co_return std::nullopt;
    }
    Task<std::vector<std::string>> complete(tools::CompletionRequest, tools::Client&) override {
        ++asked;
        co_return std::vector<std::string>{"secret"};
    }

    int asked = 0;
};

Task<tools::PromptResult> greet(tools::PromptArguments, tools::Client&) {
    co_return tools::PromptResult{.messages = {{.content = tools::Text{"Hello"}}}};
}

// Tells what it was given.
class RecordingMiddleware final : public mcp::CallMiddleware {
public:
    class Recorded final : public mcp::RecordedCall {
    public:
        Recorded(RecordingMiddleware& middleware, const json::value& arguments)
            : middleware_(middleware), arguments_(arguments) {}
        void start(bool admitted) override {
            if (!std::exchange(started_, true)) middleware_.started.push_back(admitted);
        }
        const std::string& ref_id() const override { return ref_; }
        const json::value& arguments() const override { return arguments_; }
        Task<std::string> finish(tools::ToolResult result, Render render) override {
            middleware_.reported.push_back(result.is_error ? "failed" : "finished");
            co_return render(std::move(result));
        }
        void give_up(std::string) override { middleware_.reported.emplace_back("given up"); }

    private:
        RecordingMiddleware& middleware_;
        const json::value& arguments_;
        std::string ref_ = "ref";
        bool started_ = false;
    };
    std::unique_ptr<mcp::RecordedCall> begin(const mcp::CallInfo& call) override {
        reported.push_back(call.tool->name + " " + json::serialize(call.arguments));
        return std::make_unique<Recorded>(*this, call.arguments);
    }

    std::vector<std::string> reported;
    std::vector<bool> started;
};

class CallPipelineTest : public testing::Test {
protected:
    CallPipelineTest() {
        protocol.registry.add(pages);
        protocol.registry.add(undeclared);
        protocol.registry.add(tools::Prompt{.name = "greet", .render = greet});
        send("initialize",
             R"("protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"})");
    }
    tools::CallGateOptions rules() {
        return {.refuse =
                    [this](const std::string& name) {
                        return name == forbidden ? std::optional<std::string>("a rule") : std::nullopt;
                    },
                .denied =
                    [this](const policy::Denial& denial) {
                        denied.push_back(denial.what + " in " + denial.who.session);
                    }};
    }
    std::string send(std::string_view method, std::string_view params) {
        connection.receive_text(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                                    R"(","params":{)" + std::string(params) + "}}",
                                sink);
        protocol.settle();
        return json::serialize(sink->last());
    }

    std::string forbidden;
    std::vector<std::string> denied;
    Loop gate_loop;
    tools::CallGate gate{gate_loop, rules()};
    RecordingMiddleware middleware;
    fakes::Protocol protocol{{.version = "1.2.3", .middleware = &middleware, .gate = &gate}};
    std::shared_ptr<Pages> pages = std::make_shared<Pages>();
    std::shared_ptr<Undeclared> undeclared = std::make_shared<Undeclared>();
    std::shared_ptr<fakes::RecordingSink> sink = std::make_shared<fakes::RecordingSink>();
    fakes::RecordingSink peer;
    mcp::Connection connection{protocol.server, peer, {}};
};

constexpr std::string_view kRead = R"("uri":"test://a")";
constexpr std::string_view kComplete =
    R"("ref":{"type":"ref/resource","uri":"test://{id}"},"argument":{"name":"id","value":""})";

TEST_F(CallPipelineTest, ReadsAResourceAsACallOfTheToolThatItStandsFor) {
    EXPECT_THAT(send("resources/read", kRead), HasSubstr("words of a page"));

    EXPECT_THAT(middleware.reported, IsEmpty()) << "it changes nothing";
    EXPECT_THAT(protocol.metrics.render(), HasSubstr(R"(tool="browser_snapshot",outcome="ok"} 1)"));
}

TEST_F(CallPipelineTest, ReadsNothingThatIsForbiddenAndListsNothingOfIt) {
    forbidden = "browser_snapshot";

    EXPECT_THAT(send("resources/read", kRead), HasSubstr("is denied by a rule"));
    EXPECT_THAT(send("resources/read", R"("uri":"test://nothing")"), HasSubstr("is denied by a rule"));

    EXPECT_EQ(pages->reads, 0);
    EXPECT_THAT(denied, ElementsAre("tool browser_snapshot in shop", "tool browser_snapshot in shop"));
    EXPECT_THAT(send("resources/list", ""), HasSubstr(R"("resources":[])"));
}

TEST_F(CallPipelineTest, TellsNobodyOfChangesToWhatTheyMayNotRead) {
    forbidden = "browser_snapshot";

    EXPECT_THAT(send("resources/subscribe", kRead), HasSubstr("is denied by a rule"));
    protocol.registry.resource_updated("test://a");

    EXPECT_THAT(denied, ElementsAre("tool browser_snapshot in shop"));
    EXPECT_TRUE(peer.messages.empty());
    forbidden.clear();
    EXPECT_THAT(send("resources/subscribe", kRead), HasSubstr(R"("result":{})"));
    protocol.registry.resource_updated("test://a");
    EXPECT_EQ(peer.messages.size(), 1u);
}

TEST_F(CallPipelineTest, SaysBeforeACallRunsWhetherItWasAdmitted) {
    send("tools/call", R"("name":"echo","arguments":{"text":"a"})");
    EXPECT_THAT(middleware.started, ElementsAre(true));
    forbidden = "echo";
    send("tools/call", R"("name":"echo","arguments":{"text":"a"})");

    EXPECT_THAT(middleware.started, ElementsAre(true, false));
}

TEST_F(CallPipelineTest, SuggestsTheNearestToolThatTheCallerIsShown) {
    EXPECT_THAT(send("tools/call", R"("name":"ecoh","arguments":{})"),
                AllOf(HasSubstr("-32602"), HasSubstr(R"(Tool \"ecoh\" not found. Did you mean \"echo\"?)")));
    EXPECT_THAT(send("tools/call", R"("name":"something_else","arguments":{})"),
                HasSubstr(R"(Tool \"something_else\" not found")"));
    forbidden = "echo";
    EXPECT_THAT(send("tools/call", R"("name":"ecoh","arguments":{})"),
                testing::Not(HasSubstr("mean \\\"echo")));
}

TEST_F(CallPipelineTest, CompletesNothingThatIsForbiddenAndRecordsNoCompletion) {
    EXPECT_THAT(send("completion/complete", kComplete), HasSubstr("secret"));
    EXPECT_THAT(middleware.reported, IsEmpty());
    forbidden = "history_list";

    EXPECT_THAT(send("completion/complete", kComplete), testing::Not(HasSubstr("secret")));
    EXPECT_THAT(denied, ElementsAre("tool history_list in "));
}

TEST_F(CallPipelineTest, AsksNoProviderThatDoesNotSayWhatItStandsFor) {
    EXPECT_THAT(send("resources/read", R"("uri":"other://x")"), HasSubstr("not found"));
    EXPECT_THAT(send("resources/list", ""), testing::Not(HasSubstr("other://x")));
    send("completion/complete", kComplete);

    EXPECT_EQ(undeclared->asked, 0);
}

TEST_F(CallPipelineTest, HoldsPromptsToRulesByTheirNames) {
    EXPECT_THAT(send("prompts/get", R"("name":"greet")"), HasSubstr("Hello"));
    forbidden = "prompts/greet";

    EXPECT_THAT(send("prompts/get", R"("name":"greet")"), HasSubstr("is denied by a rule"));
    EXPECT_THAT(send("prompts/list", ""), HasSubstr(R"("prompts":[])"));
    EXPECT_THAT(send("completion/complete",
                     R"("ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"x","value":""})"),
                HasSubstr("is denied by a rule"));
}

class NoClient final : public tools::Client {
public:
    const tools::Caller& caller() const override { return caller_; }
    bool answers(std::string_view) const override { return false; }
    void report_progress(double, std::optional<double>, std::string_view) override {}
    void log(tools::MessageLevel, std::string_view, json::value) override {}
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest>) override {
        co_return std::map<std::string, json::value>{};
    }

private:
    tools::Caller caller_;
};

Task<int> count_to(int& counter) { co_return ++counter; }

Task<> make_session(mcp::CallPipeline& calls, tools::Client& client, int& counter) {
    co_await calls.run_as<int>({{"create_session", "sessions", tools::Effect::ChangesServer}, "shop"},
                               {{"url", "http://a/"}}, client, [&] { return count_to(counter); });
}

TEST_F(CallPipelineTest, RecordsTheEffectOfAWayThatStandsForAToolAndRefusesItWhenForbidden) {
    NoClient client;
    int made = 0;
    auto run = [&] {
        std::optional<Result<void>> outcome;
        Running running = start(make_session(protocol.server.calls(), client, made),
                                [&](Result<void> result) { outcome = std::move(result); });
        protocol.settle();
        return outcome && *outcome;
    };

    EXPECT_TRUE(run());
    EXPECT_THAT(middleware.reported,
                ElementsAre(R"(create_session {"url":"http://a/","sessionId":"shop"})", "finished"));
    forbidden = "create_session";
    EXPECT_FALSE(run());

    EXPECT_EQ(made, 1);
    EXPECT_EQ(middleware.reported.back(), "failed");
}

TEST_F(CallPipelineTest, RecordsWhatFails) {
    send("tools/call", R"("name":"fail","arguments":{})");
    EXPECT_THAT(middleware.reported, ElementsAre("fail {}", "failed"));
}

}  // namespace
