#include "tests/tools/support.h"

namespace {

using fakes::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;

class TabToolTest : public fakes::ToolTest {
protected:
    // A call under way, and its outcome once it has one.
    struct Pending {
        json::value arguments;
        std::optional<Outcome> outcome;
        Running running;
    };
    std::unique_ptr<Pending> begin(const std::string& name, std::string_view arguments) {
        auto pending = std::make_unique<Pending>();
        pending->arguments = json::parse(arguments).value();
        pending->running = start(start_call(name, pending->arguments),
                                 [it = pending.get()](Result<tools::ToolResult> result) {
                                     it->outcome = fakes::to_outcome(std::move(result));
                                 });
        return pending;
    }
    void poll() {
        loop.restart();
        loop.poll();
    }
};

TEST_F(TabToolTest, RunsTheCallsOfASessionOneAfterTheOther) {
    show_page();
    page().hold("click");
    auto first = begin("browser_click", R"({"target": "e2"})");
    auto second = begin("browser_hover", R"({"target": "e2"})");
    poll();
    EXPECT_THAT(page().done, ElementsAre(HasSubstr("click")));

    page().release("click");
    fakes::run_until(loop, [&] { return second->outcome.has_value(); });

    EXPECT_TRUE(first->outcome);
    EXPECT_THAT(page().done, ElementsAre(HasSubstr("click"), "snapshot -", "hover e2", "snapshot -"));
}

TEST_F(TabToolTest, GoesOnAfterACallThatWasCancelled) {
    show_page();
    page().hold("click");
    auto first = begin("browser_click", R"({"target": "e2"})");
    auto second = begin("browser_hover", R"({"target": "e2"})");
    poll();

    first->running.cancel();
    fakes::run_until(loop, [&] { return second->outcome.has_value(); });

    EXPECT_FALSE(second->outcome->is_error);
}

TEST_F(TabToolTest, RefusesToActWhileADialogIsOpen) {
    show_page();
    call("browser_snapshot");
    page().open_dialog("confirm", "Sure?");
    call("browser_tabs", R"({"action": "list"})");

    Outcome outcome = call("browser_click", R"({"target": "e2"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text,
              "### Error\nError: Tool \"browser_click\" does not handle the modal state.\n"
              "### Modal state\n- [\"confirm\" dialog with message \"Sure?\"]: can be handled by "
              "browser_handle_dialog");
}

TEST_F(TabToolTest, RefusesToAnswerWhatIsNotOpen) {
    show_page();
    call("browser_snapshot");

    Outcome outcome = call("browser_handle_dialog", R"({"accept": true})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text,
              "### Error\nError: The tool \"browser_handle_dialog\" can only be used when there is related "
              "modal state present.");
    page().open_dialog("alert", "x");
    EXPECT_THAT(call("browser_file_upload").text,
                HasSubstr("The tool \"browser_file_upload\" can only be used"));
}

TEST_F(TabToolTest, SaysWhichArgumentIsWrong) {
    EXPECT_EQ(call("browser_click").text,
              "### Error\nInvalid arguments for tool \"browser_click\":\n✖ Invalid input: expected string, "
              "received undefined\n  → at "
              "target");
}

TEST_F(TabToolTest, IgnoresMisspeltArgumentsAndSaysSo) {
    std::string usual = call("browser_tabs", R"({"action": "list"})").text;
    EXPECT_EQ(call("browser_tabs", R"({"action": "list", "reason": "x"})").text, usual);

    auto told = call("browser_tabs", R"({"action": "list", "indx": 1})");

    EXPECT_FALSE(told.is_error);
    EXPECT_EQ(told.text, usual +
                             "\n### Arguments\n- \"indx\" is no argument of this tool and was ignored. "
                             "Did you mean \"index\"?");
}

TEST_F(TabToolTest, NamesAMisspeltArgumentThatTheCallLacks) {
    auto refused = call("browser_navigate", R"({"ulr": "http://localhost/"})");

    EXPECT_TRUE(refused.is_error);
    EXPECT_THAT(refused.text, AllOf(HasSubstr("at url"), HasSubstr("Did you mean \"url\"?")));
}

TEST_F(TabToolTest, TakesTheFormerNameOfATarget) {
    show_page();
    call("browser_click", R"({"ref": "e2"})");

    EXPECT_THAT(page().done.front(), HasSubstr("click e2"));
}

TEST_F(TabToolTest, WorksAgainAfterTheBrowserWasLost) {
    show_page();
    page().during("click", [this] { context().lose(); });
    page().fail("click", {.code = ErrorCode::BrowserCrashed, .message = "The browser has gone."});
    Outcome lost = call("browser_click", R"({"target": "e2"})");
    EXPECT_THAT(lost.text, testing::StartsWith(
                               "### Error\nError: locator.click: The browser has gone.\n### Session\n- The "
                               "browser ended, or the connection to it. This session's tab is gone: "
                               "http://localhost/."));

    Outcome next = call("browser_snapshot");

    EXPECT_FALSE(next.is_error);
    EXPECT_THAT(next.text, testing::Not(HasSubstr("### Session")));
    EXPECT_EQ(contexts.size(), 2u);
}

TEST_F(TabToolTest, IsNoSuccessWhenTheBrowserIsLost) {
    show_page();
    page().during("click", [this] { context().lose(); });

    Outcome lost = call("browser_click", R"({"target": "e2"})");

    EXPECT_TRUE(lost.is_error);
    EXPECT_THAT(lost.text, HasSubstr("Target page, context or browser has been closed"));
    EXPECT_THAT(lost.text, testing::Not(HasSubstr("No open tabs")));
    // The handler's own answer had it, and nobody got that one.
    EXPECT_THAT(lost.text, HasSubstr("### Session\n- The browser ended"));
}

TEST_F(TabToolTest, EndsACallThatDoesNotHearOfTheLossItself) {
    show_page();
    page().hold("click");
    page().during("click", [this] { context().lose(); });

    Outcome lost = call("browser_click", R"({"target": "e2"})");

    EXPECT_TRUE(lost.is_error);
    EXPECT_THAT(lost.text, HasSubstr("The next call gets a new one."));
    EXPECT_FALSE(call("browser_snapshot").is_error);
}

TEST_F(TabToolTest, EndsACallWhoseTabCrashes) {
    show_page();
    page().hold("click");
    page().during("click", [this] { page().crash(); });

    Outcome crashed = call("browser_click", R"({"target": "e2"})");

    EXPECT_TRUE(crashed.is_error);
    EXPECT_EQ(crashed.text, "### Error\nError: Target crashed");
    Outcome next = call("browser_snapshot");
    EXPECT_FALSE(next.is_error);
    EXPECT_THAT(next.text,
                HasSubstr("### Session\n- The page crashed. This tab is a new one, at about:blank"));
    EXPECT_THAT(call("browser_snapshot").text, testing::Not(HasSubstr("### Session")));
}

TEST_F(TabToolTest, GoesOnWhenAnotherTabCrashes) {
    show_page();
    auto other = context().open_page();
    page().during("click", [&] { other->crash(); });

    EXPECT_FALSE(call("browser_click", R"({"target": "e2"})").is_error);
}

TEST_F(TabToolTest, SaysWhyTheBrowserDidNotStart) {
    open_error =
        Error{.code = ErrorCode::NotFound, .message = "No browser found.", .hint = "Install Chromium."};

    EXPECT_EQ(call("browser_snapshot").text, "### Error\nError: No browser found.\nInstall Chromium.");
}

TEST_F(TabToolTest, LeavesErrorsOfItsOwnToTheServer) {
    show_page();
    page().fail("hover", {.code = ErrorCode::InternalError, .message = "Internal error.", .details = "bug"});

    EXPECT_EQ(call("browser_hover", R"({"target": "e2"})").text, "FAILED: Internal error.");
}

TEST_F(TabToolTest, AsksTheClientForItsRootsOnce) {
    client.roots =
        R"({"roots": [{"uri": "bogus:///x"}, {"uri": "file://)" + directory.path().string() + R"(/work"}]})";
    std::filesystem::create_directories(directory.path() / "work");

    call("browser_snapshot", R"({"filename": "page.yml"})");
    call("browser_snapshot");

    EXPECT_EQ(client.asked, 1);
    EXPECT_TRUE(directory.has("work/page.yml"));
}

struct UntrustedRootsTest : fakes::ToolTest {
    UntrustedRootsTest() : ToolTest({.trusts_roots = false}) {}
};

TEST_F(UntrustedRootsTest, AreNotAskedFor) {
    client.roots = R"({"roots": [{"uri": "file:///"}]})";

    EXPECT_FALSE(call("browser_snapshot").is_error);

    EXPECT_EQ(client.asked, 0);
    EXPECT_EQ(session->workspace().root(), directory.path());
}

struct SameUserTest : fakes::ToolTest {
    SameUserTest() : ToolTest({.for_same_user = true}) {}
};

TEST_F(SameUserTest, LeavesFilesOfThisUserToItsOwnClients) {
    EXPECT_THAT(call("browser_snapshot").text,
                testing::HasSubstr("files of a client on the server's own machine"));
    EXPECT_TRUE(contexts.empty());

    client.set_caller({.connection = "connection", .same_user = true});
    EXPECT_FALSE(call("browser_snapshot").is_error);
}

TEST_F(TabToolTest, GoesOnWithoutRootsThatMakeNoSense) {
    for (std::string roots : {R"({"roots": 5})", R"({})", R"({"roots": [5, {"uri": 6}]})", R"([])"}) {
        client.roots = roots;
        EXPECT_FALSE(call("browser_snapshot").is_error);
    }
    EXPECT_EQ(session->workspace().root(), directory.path());
}

TEST_F(TabToolTest, GoesOnWhenTheClientDoesNotAnswer) {
    client.roots = "{}";
    client.ask_error = Error{.code = ErrorCode::Timeout, .message = "late"};

    EXPECT_FALSE(call("browser_snapshot").is_error);
}

// The protocol's word for "come back with the answer".
TEST_F(TabToolTest, EndsWhereTheProtocolCannotAskDuringACall) {
    client.roots = "{}";
    client.ask_error = Error{.code = ErrorCode::Cancelled, .message = "Waiting."};

    EXPECT_EQ(call("browser_snapshot").text, "FAILED: Waiting.");
    EXPECT_TRUE(contexts.empty());

    client.ask_error = std::nullopt;
    EXPECT_FALSE(call("browser_snapshot").is_error);
}

}  // namespace
