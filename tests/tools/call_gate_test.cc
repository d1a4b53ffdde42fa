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
        options.denied = [this](const policy::Denial& denial) {
            reported.push_back("denied " + text(denial));
        };
        options.confirmed = [this](const policy::Denial& asked) {
            reported.push_back("confirmed " + text(asked));
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
    std::vector<std::string> reported;
};

// Tools beside browser_navigate that can open an address, and how they are asked to.
struct Opening {
    const char* tool;
    const char* capability;
    const char* arguments;
};
constexpr Opening kOpenings[] = {
    {"create_session", "sessions", R"({"sessionId": "x", "url": "https://a.example"})"},
    {"browser_tabs", "", R"({"action": "new", "url": "https://a.example"})"},
    {"navigate", "toolkit", R"({"url": "https://a.example"})"}};

TEST_F(CallGateTest, JudgesACallThatOpensAnAddressAsBrowserNavigate) {
    auto blocked = [](const std::string& name) {
        return name == "browser_navigate" ? std::optional<std::string>("security.blockedTools")
                                          : std::nullopt;
    };
    for (const Opening& each : kOpenings) {
        tool.name = each.tool;
        tool.capability = each.capability;
        tools::CallGate denies = gate({.rules = {{.denied = {"browser_nav*"}}}});
        tools::CallGate blocks = gate({.refuse = blocked});

        EXPECT_EQ(admit(denies, each.arguments)->message,
                  "Tool \"browser_navigate\" is denied by security.rules[0].");
        EXPECT_EQ(admit(blocks, each.arguments)->message,
                  "Tool \"browser_navigate\" is denied by security.blockedTools.");
        EXPECT_FALSE(admit(denies, R"({"url": null})")) << each.tool;
        EXPECT_FALSE(admit(denies)) << each.tool;
    }
    EXPECT_THAT(reported.front(), HasSubstr("denied tool browser_navigate | security.rules[0]"));
}

TEST_F(CallGateTest, LetsWhoeverMayNavigateByOneToolOpenAddressesByAnother) {
    for (const Opening& each : kOpenings) {
        tool.name = each.tool;
        tool.capability = each.capability;
        tools::CallGate none = gate({.rules = {{.tools = {each.tool}}}});
        EXPECT_EQ(admit(none, each.arguments).has_value(), tool.name != "navigate") << each.tool;

        tools::CallGate all = gate({.rules = {{.capabilities = {"sessions", "toolkit", "core"}}}});
        EXPECT_FALSE(admit(all, each.arguments)) << each.tool;
        tools::CallGate toolkit =
            gate({.rules = {{.tools = {"browser_tabs"}, .capabilities = {"sessions", "toolkit"}}}});
        EXPECT_FALSE(admit(toolkit, each.arguments)) << each.tool;
    }
}

TEST_F(CallGateTest, HasACallConfirmedThatOpensAnAddressWhereNavigatingIs) {
    tools::CallGate gate = this->gate({.confirm = {"browser_navigate"}});
    client.action = "decline";
    for (const Opening& each : kOpenings) {
        tool.name = each.tool;
        EXPECT_TRUE(admit(gate, each.arguments)) << each.tool;
        EXPECT_FALSE(admit(gate)) << each.tool;
    }
}

TEST_F(CallGateTest, JudgesAToolAsTheOnesThatDoTheSame) {
    struct Same {
        const char *called, *named;
    };
    for (auto [called, named] :
         {Same{"session_close", "close_session"}, Same{"close_session", "session_close"},
          Same{"click", "browser_click"}, Same{"browser_click", "click"}, Same{"fill", "browser_type"},
          Same{"browser_fill_form", "type"}, Same{"browser_run_code_unsafe", "evaluate"},
          Same{"get_cookies", "browser_cookie_list"}, Same{"save_state", "get_cookies"}}) {
        tool.name = called;
        auto blocked = [&](const std::string& name) {
            return name == named ? std::optional<std::string>("security.blockedTools") : std::nullopt;
        };
        std::string forbidden = "Tool \"" + std::string(named) + "\" is denied by security.";
        tools::CallGate denies = gate({.rules = {{.denied = {named}}}});
        tools::CallGate blocks = gate({.refuse = blocked});
        tools::CallGate asks = gate({.confirm = {named}});
        client.action = "decline";

        EXPECT_EQ(admit(denies)->message, forbidden + "rules[0].") << called;
        EXPECT_THAT(admit(denies)->hint, HasSubstr("This call of " + std::string(called))) << called;
        EXPECT_EQ(admit(blocks)->message, forbidden + "blockedTools.") << called;
        EXPECT_FALSE(denies.lists(tool, client.caller_)) << called;
        EXPECT_FALSE(denies.permit(tool, client.caller_)) << called;
        EXPECT_TRUE(admit(asks)) << called;
        EXPECT_THAT(client.question, HasSubstr("Allow " + std::string(called)));
        // A list of allowed tools is about names.
        tools::CallGate allows = gate({.rules = {{.tools = {called}}}});
        EXPECT_FALSE(admit(allows)) << called;
    }
}

TEST_F(CallGateTest, JudgesAToolByWhatItsArgumentsMakeItDo) {
    tool.name = "create_session";
    tools::CallGate denies = gate({.rules = {{.denied = {"set_cookies"}}}});

    EXPECT_EQ(admit(denies, R"({"sessionId": "x", "storageState": {}})")->message,
              "Tool \"set_cookies\" is denied by security.rules[0].");
    EXPECT_FALSE(admit(denies, R"({"sessionId": "x", "storageState": null})"));
}

TEST_F(CallGateTest, JudgesAnAddressThatBringsAScriptAsBrowserEvaluate) {
    const char* const scripts[] = {
        "javascript:1",
        " java\\nscript:1",
        "view-source:javascript:1",
        "data:text/html,<script>1</script>",
        "DATA:Text/HTML;base64,PHNjcmlwdD4=",
        "data:image/svg+xml,<svg/>",
        "data:application/xhtml+xml,x",
        "data:unknown/unknown,<script>1</script>",
        "blob:https://a.example/0d0f",
        "filesystem:https://a.example/temporary/x",
        "about:srcdoc",
    };
    const char* const plain[] = {"https://a.example/javascript:1", "about:blank", "data:,text",
                                 "data:text/plain,<script>1</script>", "data:image/png;base64,AA"};
    tools::CallGate denies = gate({.rules = {{.denied = {"browser_evaluate"}}}});
    tools::CallGate denies_other = gate({.rules = {{.denied = {"evaluate"}}}});
    tools::CallGate lacks = gate({.rules = {{.tools = {"browser_navigate", "navigate", "browser_tabs"}}}});
    tools::CallGate asks = gate({.confirm = {"browser_evaluate"}});
    client.action = "decline";
    for (const char* name : {"browser_navigate", "navigate", "browser_tabs"}) {
        tool.name = name;
        for (const char* url : scripts) {
            std::string arguments = R"({"url": ")" + std::string(url) + R"("})";
            for (tools::CallGate* each : {&denies, &lacks})
                EXPECT_EQ(admit(*each, arguments)->message,
                          "Tool \"browser_evaluate\" is denied by security.rules[0].")
                    << url;
            EXPECT_TRUE(admit(denies_other, arguments)) << url;
            EXPECT_TRUE(admit(asks, arguments)) << url;
        }
        for (const char* url : plain) {
            std::string arguments = R"({"url": ")" + std::string(url) + R"("})";
            for (tools::CallGate* each : {&denies, &lacks, &denies_other, &asks})
                EXPECT_FALSE(admit(*each, arguments)) << url;
        }
    }
}

TEST_F(CallGateTest, JudgesAReadOfTheHistoryAsTheSessionThatItNames) {
    tools::CallGate gate = this->gate({.rules = {{.session = "locked", .denied = {"*"}}}});
    tool.name = "history_list";

    for (const char* arguments : {R"({"session": "locked"})", R"({"sessionId": "free", "session": "locked"})",
                                  R"({"session": "locked@anns"})"})
        EXPECT_TRUE(admit(gate, arguments)) << arguments;
    EXPECT_FALSE(admit(gate, R"({"session": "free"})"));
    EXPECT_EQ(reported.front(), "denied tool history_list | security.rules[0] | locked | ");
}

TEST_F(CallGateTest, JudgesACallByTheScopesOfItsToken) {
    tools::CallGate gate = this->gate({.rules = {{.scopes = {"click"}}, {.denied = {"browser_click"}}}});
    EXPECT_TRUE(admit(gate));
    EXPECT_FALSE(gate.lists(tool, client.caller_));

    client.caller_.scopes = {"browse", "click"};

    EXPECT_FALSE(admit(gate));
    EXPECT_TRUE(gate.lists(tool, client.caller_));
    EXPECT_TRUE(gate.permit(tool, client.caller_));
}

TEST_F(CallGateTest, DeniesAToolToASessionAndSaysByWhichRule) {
    tools::CallGate gate = this->gate({.rules = {{.session = "reader", .denied = {"browser_click"}}}});
    client.caller_.principal = "ann";

    auto error = admit(gate, R"({"sessionId": "reader"})");

    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::PolicyDenied);
    EXPECT_EQ(error->message, "Tool \"browser_click\" is denied by security.rules[0].");
    EXPECT_THAT(reported, ElementsAre("denied tool browser_click | security.rules[0] | reader | ann"));
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
    EXPECT_TRUE(gate.distinguishes_callers());
    EXPECT_THAT(reported, IsEmpty());
}

TEST_F(CallGateTest, ForbidsToolsToEverybody) {
    tools::CallGate gate = this->gate({.refuse = [](const std::string& name) {
        return name == "browser_click" ? std::optional<std::string>("security.blockedTools") : std::nullopt;
    }});

    EXPECT_THAT(admit(gate)->message, HasSubstr("denied by security.blockedTools"));
    EXPECT_FALSE(gate.lists(tool, client.caller_));
    EXPECT_FALSE(gate.distinguishes_callers());
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
    EXPECT_THAT(reported, ElementsAre("confirmed tool browser_click | security.confirm | shop | "));
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
    EXPECT_THAT(admit(gate)->message, HasSubstr("no answer came in time"));

    EXPECT_THAT(reported, testing::SizeIs(4));
    EXPECT_THAT(reported, testing::Each("denied tool browser_click | security.confirm |  | "));
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
    EXPECT_THAT(reported, IsEmpty());
}

}  // namespace
