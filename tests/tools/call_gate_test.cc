#include "tools/call_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

// A client whose user has made up their mind.
class AskedClient final : public tools::Client {
public:
    const tools::Caller& caller() const override { return caller_; }
    bool answers(std::string_view method) const override { return can_ask && method == "elicitation/create"; }
    void report_progress(double, std::optional<double>, std::string_view) override {}
    void log(tools::MessageLevel, std::string_view, json::value) override {}
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest> requests) override {
        question = requests.front().params.at("message").as_string();
        once = requests.front().once;
        if (error) co_await *error;
        if (silent) co_await *silent;
        co_return std::map<std::string, json::value>{
            {requests.front().key, json::object{{"action", action}}}};
    }

    tools::Caller caller_{.connection = "c"};
    bool can_ask = true, once = false;
    std::string action = "accept", question;
    std::optional<Error> error;
    std::optional<Completion<bool>> silent;
};

class CallGateTest : public testing::Test {
protected:
    CallGateTest() {
        tool.name = "browser_click";
        tool.title = "Click";
        tool.input_schema = json::object{{"properties", json::object{{"sessionId", json::object{}}}}};
    }

    tools::CallGate gate(tools::CallGateOptions options) {
        options.denied = [this](const policy::Denial& denial) { told.push_back("denied " + text(denial)); };
        options.confirmed = [this](const policy::Denial& asked) {
            told.push_back("confirmed " + text(asked));
        };
        return tools::CallGate(loop, std::move(options));
    }
    static std::string text(const policy::Denial& denial) {
        return denial.what + " | " + denial.rule + " | " + denial.who.session + " | " + denial.who.principal;
    }
    // Why not; nothing when it may.
    std::optional<Error> admit(tools::CallGate& gate, std::string_view arguments = "{}") {
        json::value given = json::parse(arguments).value();
        auto outcome = fakes::run_task(loop, gate.admit(tool, {given, client, Deadline::in(10s)}));
        return outcome ? std::nullopt : std::optional(outcome.error());
    }

    Loop loop;
    tools::Tool tool;
    AskedClient client;
    std::vector<std::string> told;
};

TEST_F(CallGateTest, DeniesAToolToASessionAndSaysByWhichRule) {
    tools::CallGate gate = this->gate({.rules = {{.session = "reader", .denied = {"browser_click"}}}});
    client.caller_.principal = "ann";

    auto error = admit(gate, R"({"sessionId": "reader"})");

    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::PolicyDenied);
    EXPECT_EQ(error->message, "Tool \"browser_click\" is denied by security.rules[0].");
    EXPECT_THAT(told, ElementsAre("denied tool browser_click | security.rules[0] | reader | ann"));
    EXPECT_FALSE(admit(gate, R"({"sessionId": "writer"})"));
}

TEST_F(CallGateTest, TakesASessionsNameFromThePathToo) {
    tools::CallGate gate = this->gate({.rules = {{.session = "reader", .denied = {"*"}}}});
    client.caller_.path_name = "reader";

    EXPECT_TRUE(admit(gate));
    EXPECT_FALSE(gate.lists(tool, client.caller_));
}

TEST_F(CallGateTest, KeepsCodeOnTheHostFromPrincipalsWhomNoRuleNamesWithIt) {
    tools::CallGate gate = this->gate({.rules = {{.principal = "ann", .tools = {"browser_run_code_unsafe"}},
                                                 {.principal = "b*", .tools = {"browser_run_code_unsafe"}},
                                                 {.principal = "eve", .tools = {"browser_*", "*"}},
                                                 {.principal = "dan"}},
                                       .several_principals = true});
    tool.name = "browser_run_code_unsafe";
    for (const char* name : {"ann", "bob", "eve", "dan", "fay"}) {
        client.caller_.principal = name;
        auto error = admit(gate);
        bool allowed = std::string_view(name) == "ann";
        EXPECT_EQ(error.has_value(), !allowed) << name;
        EXPECT_EQ(gate.lists(tool, client.caller_), allowed) << name;
        EXPECT_EQ(gate.permit("browser_run_code_unsafe", client.caller_).has_value(), allowed) << name;
        if (error) {
            EXPECT_THAT(error->message, HasSubstr("several principals"));
            EXPECT_THAT(error->hint, AllOf(HasSubstr("security.rules"), HasSubstr(name),
                                           HasSubstr("browser_run_code_unsafe")));
        }
        EXPECT_FALSE(gate.permit("init_page", client.caller_)) << name;
    }
    // The same user on the same machine, who was not authenticated, is the one who could change the rules.
    client.caller_.principal = "";
    EXPECT_FALSE(admit(gate));
    EXPECT_TRUE(gate.permit("init_page", client.caller_));
    tool.name = "browser_click";
    client.caller_.principal = "fay";
    EXPECT_FALSE(admit(gate));
}

TEST_F(CallGateTest, LeavesCodeOnTheHostToOnePrincipal) {
    tools::CallGate gate = this->gate({.rules = {{.principal = "ann", .tools = {"browser_*"}}}});
    tool.name = "browser_run_code_unsafe";
    client.caller_.principal = "ann";

    EXPECT_FALSE(admit(gate));
    EXPECT_TRUE(gate.permit("init_page", client.caller_));
}

TEST_F(CallGateTest, ListsWhatTheCallerMayCall) {
    tools::CallGate gate = this->gate({.rules = {{.principal = "ann", .tools = {"browser_snapshot"}}}});
    client.caller_.principal = "ann";
    EXPECT_FALSE(gate.lists(tool, client.caller_));
    client.caller_.principal = "bob";
    EXPECT_TRUE(gate.lists(tool, client.caller_));
    EXPECT_TRUE(gate.tells_callers_apart());
    EXPECT_THAT(told, IsEmpty());
}

TEST_F(CallGateTest, ForbidsToolsToEverybody) {
    tools::CallGate gate = this->gate({.refuse = [](const std::string& name) {
        return name == "browser_click" ? std::optional<std::string>("security.blockedTools") : std::nullopt;
    }});

    EXPECT_THAT(admit(gate)->message, HasSubstr("denied by security.blockedTools"));
    EXPECT_FALSE(gate.lists(tool, client.caller_));
    EXPECT_FALSE(gate.tells_callers_apart());
}

TEST_F(CallGateTest, LimitsHowOftenOneCalls) {
    tools::CallGate gate = this->gate({.rules = {{.calls_per_minute = 1}}});
    EXPECT_FALSE(admit(gate));

    auto error = admit(gate);

    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::ResourceExhausted);
    EXPECT_THAT(error->hint, HasSubstr("Call again in 60 s."));
    EXPECT_THAT(error->details, HasSubstr("retryAfterMs"));
}

TEST_F(CallGateTest, AsksAPersonAndLetsThroughWhatIsAccepted) {
    tools::CallGate gate =
        this->gate({.confirm = {"browser_cl*"}, .secrets = session::Secrets({{"PASSWORD", "hunter2"}})});

    EXPECT_FALSE(admit(gate, R"({"sessionId": "shop", "target": "hunter2"})"));

    EXPECT_THAT(client.question, HasSubstr("Allow browser_click (Click) in the session shop?"));
    EXPECT_THAT(client.question, Not(HasSubstr("hunter2")));
    EXPECT_TRUE(client.once);
    EXPECT_THAT(told, ElementsAre("confirmed tool browser_click | security.confirm | shop | "));
}

TEST_F(CallGateTest, TakesEverythingElseForANo) {
    tools::CallGate gate = this->gate({.confirm = {"browser_click"}, .confirm_timeout = 1ms});
    for (const char* action : {"decline", "cancel"}) {
        client.action = action;
        EXPECT_EQ(admit(gate)->code, ErrorCode::PolicyDenied) << action;
    }
    client.error = Error{.code = ErrorCode::InvalidArgument, .message = "The client refused: busy"};
    EXPECT_THAT(admit(gate)->message, HasSubstr("busy"));
    client.error.reset();
    client.silent.emplace(loop);
    EXPECT_THAT(admit(gate)->message, HasSubstr("nobody answered in time"));

    EXPECT_THAT(told, testing::SizeIs(4));
    EXPECT_THAT(told, testing::Each("denied tool browser_click | security.confirm |  | "));
}

TEST_F(CallGateTest, SaysWhatToDoWhenNobodyCanBeAsked) {
    tools::CallGate gate = this->gate({.confirm = {"browser_click"}});
    client.can_ask = false;

    auto error = admit(gate);

    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::PolicyDenied);
    EXPECT_THAT(error->message, HasSubstr("capability elicitation"));
    EXPECT_THAT(error->hint, HasSubstr("Use a client that can"));
}

TEST_F(CallGateTest, LeavesAQuestionOfTheStatelessProtocolOpen) {
    tools::CallGate gate = this->gate({.confirm = {"browser_click"}});
    client.error = Error{.code = ErrorCode::Cancelled, .message = "Waiting for the client's answers."};

    EXPECT_EQ(admit(gate)->code, ErrorCode::Cancelled);
    EXPECT_THAT(told, IsEmpty());
}

}  // namespace
