#include "session/tab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/session.h"
#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using session::Operation;
using session::Tab;

class TabTest : public testing::Test, public fakes::FakeBrowser {
protected:
    TabTest() { tab = fakes::run_task(loop, session->ensure_tab()).value(); }

    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    Tab::Shown take_header() { return run(tab->take_header()).value(); }

    std::shared_ptr<Tab> tab;
};

TEST_F(TabTest, TellsWhetherItsHeaderChanged) {
    EXPECT_TRUE(take_header().changed);
    EXPECT_FALSE(take_header().changed);

    page().page_title = "Other";
    EXPECT_TRUE(take_header().changed);
    page().log("error", "x");
    EXPECT_TRUE(take_header().changed);
    page().status = engine::DocumentStatus{404, "Not Found"};
    EXPECT_TRUE(take_header().changed);
    EXPECT_FALSE(take_header().changed);
}

TEST_F(TabTest, GivesEachMessageAndEachEndedRequestOnce) {
    auto urls = [&] {
        std::vector<std::string> urls;
        for (const engine::RequestEntry* request : tab->take_requests()) urls.push_back(request->url);
        return urls;
    };
    page().log("error", "x");
    tab->log_console();
    EXPECT_EQ(tab->take_logged().size(), 1u);
    tab->log_console();
    EXPECT_TRUE(tab->take_logged().empty());

    auto& requests = page().request_entries;
    requests = {{.id = "1", .url = "/a", .finished = true}, {.id = "2", .url = "/b"}};
    EXPECT_THAT(urls(), testing::ElementsAre("/a"));
    requests[1].failure = "net::ERR_FAILED";
    requests.push_back({.id = "3", .url = "/c", .finished = true});
    EXPECT_THAT(urls(), testing::ElementsAre("/b", "/c"));
    requests.erase(requests.begin(), requests.begin() + 2);
    EXPECT_THAT(urls(), testing::IsEmpty()) << "the oldest were forgotten";
    requests = {{.id = "4", .url = "/d", .finished = true}};
    EXPECT_THAT(urls(), testing::ElementsAre("/d")) << "another page";
}

TEST_F(TabTest, HasNoTitleWhileADialogIsOpen) {
    page().page_title = "Title";
    EXPECT_EQ(take_header().header.title, "Title");

    page().open_dialog("alert", "Hi");

    EXPECT_EQ(take_header().header.title, "");
}

TEST_F(TabTest, KeepsItsLastTitleWhenThePageDoesNotAnswer) {
    page().page_title = "Title";
    take_header();
    page().fail("title", {.code = ErrorCode::Timeout, .message = "late"});

    EXPECT_EQ(take_header().header.title, "Title");
}

TEST_F(TabTest, NeverAsksACrashedPage) {
    page().crashed = true;
    page().hold("title");

    Tab::Shown shown = take_header();

    EXPECT_TRUE(shown.header.crashed);
    EXPECT_EQ(shown.header.title, "");
}

TEST_F(TabTest, RunsAnActionUntilItHasSettled) {
    EXPECT_TRUE(
        run(tab->perform({.name = "locator.hover"}, page().hover(nullptr, Deadline::never()))).value());
}

TEST_F(TabTest, DropsAnActionWhenADialogOpens) {
    page().during("hover", [this] { page().open_dialog("alert", "Hi"); });
    page().hold("hover");

    EXPECT_FALSE(
        run(tab->perform({.name = "locator.hover"}, page().hover(nullptr, Deadline::never()))).value());
}

TEST_F(TabTest, DropsTheWaitForWhatAnActionCausedWhenADialogOpens) {
    page().during("settle", [this] { page().open_dialog("alert", "Hi"); });
    page().hold("settle");

    EXPECT_FALSE(
        run(tab->perform({.name = "locator.hover"}, page().hover(nullptr, Deadline::never()))).value());
}

TEST_F(TabTest, DoesNotEvenBeginWhileADialogIsOpen) {
    page().open_dialog("alert", "Hi");

    EXPECT_FALSE(
        run(tab->perform({.name = "locator.hover"}, page().hover(nullptr, Deadline::never()))).value());
    EXPECT_TRUE(page().done.empty());
}

TEST_F(TabTest, AnswersADialogAndStopsForTheNextOne) {
    page().open_dialog("alert", "One");
    page().during("answer_dialog", [this] { page().open_dialog("alert", "Two"); });
    page().hold("settle");

    auto undisturbed =
        run(tab->answer_modal({.name = "dialog.accept"}, page().answer_dialog(true, {}, Deadline::never())));

    EXPECT_FALSE(undisturbed.value());
    EXPECT_EQ(tab->modals().front().message, "Two");
}

TEST_F(TabTest, FailsInPlaywrightsWords) {
    page().fail("hover", {.code = ErrorCode::Timeout, .message = "element is not visible"});

    auto failed = run(tab->perform(tab->action("locator.hover"), page().hover(nullptr, Deadline::never())));

    EXPECT_EQ(failed.error().message,
              "locator.hover: Timeout 5000ms exceeded.\nCall log:\n  - element is not visible");
}

TEST_F(TabTest, SaysThatARefIsGone) {
    EXPECT_EQ(run(tab->find("e99")).error().message,
              "Ref e99 not found in the current page snapshot. Try capturing new snapshot.");
    EXPECT_EQ(run(tab->find("f12e3")).error().message,
              "Ref f12e3 not found in the current page snapshot. Try capturing new snapshot.");
}

TEST_F(TabTest, SaysThatASelectorMatchesNothing) {
    for (std::string target : {"f0", "e", "fe1", "e1 ", "#id", "E1"}) {
        EXPECT_EQ(run(tab->find(target)).error().message, "\"" + target + "\" does not match any elements.");
    }
}

TEST_F(TabTest, SaysThatThePageDidNotAnswer) {
    page().fail("find", {.code = ErrorCode::Timeout, .message = "Finding e1 took too long."});

    EXPECT_EQ(run(tab->find("e1")).error().message,
              "page.$: Timeout 5000ms exceeded.\nCall log:\n  - Finding e1 took too long.");
}

TEST_F(TabTest, StartsALogFileForEachNavigation) {
    page().now = fakes::kNow + std::chrono::milliseconds(12);
    page().log("error", "before");
    now += std::chrono::seconds(1);
    page().during("navigate", [this] {
        page().now = now + std::chrono::milliseconds(5);
        page().log("warning", "after", 7);
    });

    ASSERT_TRUE(run(tab->navigate("http://localhost/")));
    tab->log_console();

    EXPECT_EQ(directory.read(".playwright-mcp/console-2026-03-04T05-06-07-089Z.log"),
              "[      12ms] [ERROR] before @ about:blank:0\n");
    EXPECT_EQ(directory.read(".playwright-mcp/console-2026-03-04T05-06-08-089Z.log"),
              "[       5ms] [WARNING] after @ about:blank:7\n");
}

TEST_F(TabTest, LogsEachMessageOnceEvenWhenThePageForgetsOldOnes) {
    for (int i = 0; i < 5; ++i) page().log("log", "message " + std::to_string(i));
    tab->log_console();
    page().console_entries.erase(page().console_entries.begin(), page().console_entries.begin() + 3);
    page().log("log", "message 5");
    tab->log_console();
    page().clear_console();
    page().log("log", "message 6");
    tab->log_console();

    std::string text = directory.read(".playwright-mcp/console-2026-03-04T05-06-07-089Z.log");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7);
    EXPECT_THAT(text, testing::HasSubstr("message 6"));
}

}  // namespace
