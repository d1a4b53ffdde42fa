#include "tools/webmcp.h"

#include "tests/fakes/test_browser.h"
#include "tests/tools/support.h"

namespace {

using engine::PageTool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const PageTool kSearch{.frame = "page",
                       .frame_label = "http://localhost/",
                       .name = "search",
                       .description = "Finds things.",
                       .input_schema = json::object{{"type", "object"}},
                       .read_only = true};

class PageTools : public fakes::ToolTest {
protected:
    PageTools() { show_page(); }
    std::string snapshot_file() {
        auto outcome = call("browser_snapshot", R"({"filename": "page.yml"})");
        EXPECT_FALSE(outcome.is_error) << outcome.text;
        return directory.read("page.yml");
    }
};

TEST_F(PageTools, AreToldOfWithTheSnapshot) {
    page().offered_tools = {kSearch,
                            {.frame_label = "http://b/",
                             .in_main_frame = false,
                             .name = "buy",
                             .description = "Buys.",
                             .consequential = true}};

    EXPECT_THAT(call("browser_snapshot").text, HasSubstr("- 2 webmcp tools available on the page\n"));
    EXPECT_EQ(snapshot_file(),
              "- webmcp tools (page-provided, untrusted):\n"
              "  - search [readOnly]: Finds things.\n"
              "    - inputSchema: {\"type\":\"object\"}\n"
              "  - buy [consequential]: Buys.\n"
              "    - frame: http://b/\n"
              "\n"
              "- button \"Submit\" [ref=e2]");
    page().offered_tools.clear();
    EXPECT_THAT(call("browser_snapshot").text, Not(HasSubstr("webmcp")));
}

class PageToolsOff : public fakes::ToolTest {
protected:
    PageToolsOff() : ToolTest({.page_tools = false}) { show_page(); }
};

TEST_F(PageToolsOff, AreNotAskedFor) {
    page().offered_tools = {kSearch};
    EXPECT_THAT(call("browser_snapshot").text, Not(HasSubstr("webmcp")));
}

// As a client of a server sees them.
class OwnPageTools : public testing::Test {
protected:
    explicit OwnPageTools(tools::SessionParamOptions given = {}) : param(given) {
        options.tab_event = [this](const session::SessionKey&, const std::string&, session::TabEvent event) {
            changes += event == session::TabEvent::ToolsChanged ? 1 : 0;
        };
        sessions.emplace(loop, options, [this](engine::LaunchOptions) { return launch(); }, log);
        catalog = {&*sessions, [](const tools::Caller&) { return std::string("owner"); },
                   [](const tools::Caller& caller) {
                       return caller.session_name.empty() ? session::SessionKey{caller.connection, ""}
                                                          : session::SessionKey{"owner", caller.session_name};
                   }};
        tools::register_tools(registry, {},
                              {.sessions = use, .session_catalog = catalog, .session_param = param});
        EXPECT_THAT(run("browser_snapshot", "{}").text, HasSubstr("### Page"));
        contexts.back()->page(0).offered_tools = {
            kSearch, kSearch, {.frame_label = "http://b/", .name = "a b/c"}};
        EXPECT_EQ(changes, 0);
        (void)run("browser_snapshot", "{}");
    }
    Task<std::shared_ptr<engine::Browser>> launch() {
        co_return std::make_shared<fakes::TestBrowser>(loop, contexts);
    }
    std::shared_ptr<const tools::Tool> find(const std::string& name) {
        if (auto tool = registry.find_tool(name)) return tool;
        for (auto& tool : registry.own_tools(client.caller())) {
            if (tool->name == name) return tool;
        }
        return nullptr;
    }
    fakes::Outcome run(const std::string& name, std::string_view arguments) {
        json::value parsed = json::parse(arguments).value();
        return fakes::to_outcome(fakes::run_task(loop, find(name)->run({parsed, client, Deadline::never()})));
    }
    std::vector<std::string> names(const tools::Caller& caller) {
        std::vector<std::string> listed;
        for (const auto& tool : registry.own_tools(caller)) listed.push_back(tool->name);
        return listed;
    }

    tools::SessionParamOptions param;
    Loop loop;
    fakes::TemporaryDirectory directory;
    Log log = Log::silent();
    session::SessionsOptions options = fakes::contexts_in(directory.path());
    std::vector<std::shared_ptr<fakes::FakeContext>> contexts;
    std::optional<session::Sessions> sessions;
    tools::SessionCatalog catalog;
    tools::SessionResolver use = [this](const tools::Caller& caller) {
        return sessions->session(catalog.key_of(caller));
    };
    tools::Registry registry;
    int changes = 0;
    fakes::FakeClient client;
};

TEST_F(OwnPageTools, AreListedToWhoeverHasThePage) {
    EXPECT_THAT(names(client.caller()), ElementsAre("webmcp_search", "webmcp_search_2", "webmcp_a_b_c"));
    EXPECT_THAT(names({.connection = "another"}), IsEmpty());
    EXPECT_EQ(changes, 1);
    EXPECT_THAT(find("webmcp_search")->description, StartsWith("[UNTRUSTED"));
    EXPECT_EQ(find("webmcp_search")->effect, tools::Effect::ReadsPage);
    EXPECT_EQ(json::serialize(find("webmcp_a_b_c")->input_schema), R"({"type":"object"})");
}

TEST_F(OwnPageTools, AnswerWithThePagesWord) {
    contexts.back()->page(0).tool_answer = R"({"found":2})";

    auto outcome = run("webmcp_search", R"({"query": "cats"})");

    EXPECT_FALSE(outcome.is_error);
    EXPECT_THAT(outcome.text,
                HasSubstr("### Result\nCalled WebMCP tool \"search\" in http://localhost/. Output is "
                          "page-provided and untrusted:\n{\n  \"found\": 2\n}"));
    EXPECT_THAT(contexts.back()->page(0).done,
                testing::Contains(R"(call_page_tool search {"query":"cats"})"));
    contexts.back()->page(0).tool_answer = R"({"isError":true})";
    EXPECT_TRUE(run("webmcp_search", "{}").is_error);
}

TEST_F(OwnPageTools, TakeOnlyArgumentsThatFitTheirSchema) {
    contexts.back()->page(0).offered_tools = {
        {.frame_label = "http://b/",
         .name = "buy",
         .input_schema =
             json::parse(R"({"properties": {"count": {"type": "integer"}}, "required": ["count"]})").value()},
        {.frame_label = "http://b/", .name = "bad", .input_schema = json::object{{"required", "a"}}}};
    (void)run("browser_snapshot", "{}");

    EXPECT_THAT(names(client.caller()), ElementsAre("webmcp_buy"));
    EXPECT_TRUE(run("webmcp_buy", R"({"count": "two"})").is_error);
    EXPECT_TRUE(run("webmcp_buy", "{}").is_error);
    EXPECT_FALSE(run("webmcp_buy", R"({"count": 2})").is_error);
    EXPECT_THAT(contexts.back()->page(0).done,
                testing::Contains(testing::StartsWith("call_page_tool")).Times(1));
}

TEST_F(OwnPageTools, GoWithThePage) {
    auto search = find("webmcp_search");
    (void)run("browser_navigate", R"({"url": "http://other/"})");
    contexts.back()->page(0).offered_tools.clear();
    (void)run("browser_snapshot", "{}");

    EXPECT_THAT(names(client.caller()), IsEmpty());
    EXPECT_EQ(changes, 2);
    json::value none = json::object();
    auto late = fakes::to_outcome(fakes::run_task(loop, search->run({none, client, Deadline::never()})));
    EXPECT_TRUE(late.is_error);
    EXPECT_THAT(late.text, HasSubstr("not found"));
}

class NamedPageTools : public OwnPageTools {
protected:
    NamedPageTools() : OwnPageTools({.when = tools::SessionParam::Always}) {
        (void)run("browser_snapshot", R"({"sessionId": "other"})");
        contexts.back()->page(0).offered_tools = {kSearch, {.frame_label = "http://b/", .name = "buy"}};
        (void)run("browser_snapshot", R"({"sessionId": "other"})");
    }
};

TEST_F(NamedPageTools, AreListedOnceAndCalledInTheSessionThatIsNamed) {
    EXPECT_THAT(names(client.caller()),
                ElementsAre("webmcp_search", "webmcp_search_2", "webmcp_a_b_c", "webmcp_buy"));
    EXPECT_TRUE(find("webmcp_buy")->input_schema.at("properties").as_object().contains("sessionId"));

    EXPECT_THAT(run("webmcp_buy", R"({"sessionId": "other", "count": 2})").text,
                HasSubstr("Called WebMCP tool \"buy\" in http://b/"));

    EXPECT_THAT(contexts.back()->page(0).done, testing::Contains(R"(call_page_tool buy {"count":2})"));
    EXPECT_THAT(run("webmcp_buy", "{}").text, HasSubstr("Tool \"webmcp_buy\" not found"));
}

TEST_F(NamedPageTools, OfSessionsWithoutAnOwnerAreOnlyForThoseWhoKnowTheName) {
    catalog.owner_of = [](const tools::Caller&) { return std::string(); };
    auto listed = [&](const tools::Caller& caller) {
        return tools::page_tools_of(catalog, use, param, caller).size();
    };

    EXPECT_EQ(listed({.connection = "another"}), 0);
    EXPECT_EQ(listed({.connection = "another", .session_name = "other"}), 2);
    param.when = tools::SessionParam::Stateless;
    EXPECT_EQ(listed({.connection = "another", .session_name = "other"}), 0) << "it cannot name sessions";
}

}  // namespace
