#include "session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/page_watch.h"
#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using session::Tab;

class SessionTest : public testing::Test, public fakes::FakeBrowser {
protected:
    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    std::shared_ptr<Tab> ensure_tab() { return run(session->ensure_tab()).value(); }
    // The page numbers of the tabs, with a star at the current one.
    std::string tabs() const {
        std::string text;
        for (const auto& tab : session->tabs()) text += tab->page().id() + (tab->is_current() ? "* " : " ");
        return text;
    }
};

TEST_F(SessionTest, HasNoBrowserUntilItIsNeeded) {
    EXPECT_TRUE(contexts.empty());
    EXPECT_TRUE(session->tabs().empty());
    EXPECT_FALSE(session->has_browser());
}

TEST_F(SessionTest, UsesThePageThatTheBrowserBeganWith) {
    EXPECT_EQ(&ensure_tab()->page(), &page());
    EXPECT_EQ(contexts.size(), 1u);
    EXPECT_EQ(tabs(), "page0* ");
}

TEST_F(SessionTest, OpensAPageWhereThereIsNone) {
    page().closed = true;
    context().close_page(page());

    ensure_tab();

    EXPECT_EQ(tabs(), "page1* ");
}

TEST_F(SessionTest, MakesANewTabTheCurrentOne) {
    ensure_tab();
    ASSERT_TRUE(run(session->new_tab()));

    EXPECT_EQ(tabs(), "page0 page1* ");
}

TEST_F(SessionTest, SaysThatItsTabsAreGoneWithABrowserThatIsNotRestored) {
    page().page_url = "http://a/";
    ensure_tab();
    ASSERT_TRUE(run(session->new_tab()));
    context().lose();

    ensure_tab();

    auto notes = session->take_notes();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_THAT(notes[0],
                testing::HasSubstr("The browser ended, or the connection to it. This session's 2 tabs "
                                   "are gone"));
    EXPECT_EQ(contexts.size(), 2u);
}

TEST_F(SessionTest, KeepsItsStateOnceNobodyOpensAContext) {
    bool calm = false;
    int asked = 0, kept = 0;
    session->set_persistence({.checkpoints = std::make_shared<session::MemoryCheckpointStore>(),
                              .id = "ann",
                              .survives_crashes = true,
                              .is_calm =
                                  [&] {
                                      ++asked;
                                      return calm;
                                  },
                              .on_checkpoint = [&] { ++kept; }});
    ensure_tab();
    {
        auto turn = run(session->take_turn(Deadline::never())).value();
    }

    fakes::run_until(loop, [&] { return asked > 0; });
    EXPECT_EQ(kept, 0);
    calm = true;
    fakes::run_until(loop, [&] { return kept > 0; });
}

TEST_F(SessionTest, ListsAPopupButStaysWhereItIs) {
    ensure_tab();
    context().open_page();

    EXPECT_EQ(tabs(), "page0* page1 ");
}

TEST_F(SessionTest, SelectsATabAndBringsItToTheFront) {
    ensure_tab();
    context().open_page();

    ASSERT_TRUE(run(session->select_tab(1)));

    EXPECT_EQ(tabs(), "page0 page1* ");
    EXPECT_EQ(context().page(1).done, std::vector<std::string>{"bring_to_front"});
}

TEST_F(SessionTest, SaysWhichTabItDoesNotHave) {
    ensure_tab();

    EXPECT_EQ(run(session->select_tab(3)).error().message, "Tab 3 not found");
    EXPECT_EQ(run(session->select_tab(-1)).error().message, "Tab -1 not found");
    EXPECT_EQ(run(session->close_tab(0.5)).error().message, "Tab 0.5 not found");
}

TEST_F(SessionTest, HasNoTabToCloseBeforeThereIsABrowser) {
    EXPECT_EQ(run(session->close_tab(std::nullopt)).error().message, "Tab undefined not found");
    EXPECT_TRUE(contexts.empty());
}

TEST_F(SessionTest, GoesToTheNextTabWhenTheCurrentOneCloses) {
    ensure_tab();
    context().open_page();
    context().open_page();
    ASSERT_TRUE(run(session->select_tab(1)));

    ASSERT_TRUE(run(session->close_tab(std::nullopt)));
    EXPECT_EQ(tabs(), "page0 page2* ");
    ASSERT_TRUE(run(session->close_tab(1)));
    EXPECT_EQ(tabs(), "page0* ");
    ASSERT_TRUE(run(session->close_tab(0)));
    EXPECT_EQ(tabs(), "");
    EXPECT_EQ(session->current_tab(), nullptr);
}

TEST_F(SessionTest, StaysOnItsTabWhenAnotherCloses) {
    ensure_tab();
    context().open_page();

    context().close_page(context().page(1));

    EXPECT_EQ(tabs(), "page0* ");
}

TEST_F(SessionTest, ReplacesACrashedTabAndSaysSoInTheLog) {
    ensure_tab();
    context().open_page();
    page().crashed = true;

    std::shared_ptr<Tab> tab = ensure_tab();

    EXPECT_EQ(tabs(), "page1 page2* ");
    EXPECT_THAT(tab->take_events(),
                testing::ElementsAre(testing::HasSubstr("console-2026-03-04T05-06-07-089Z.log#L1")));
    EXPECT_EQ(directory.read(".playwright-mcp/console-2026-03-04T05-06-07-089Z.log"),
              "[       0ms] Error: Page crashed and was reset to about:blank.\n");
    EXPECT_THAT(session->take_notes(), testing::ElementsAre(testing::HasSubstr("The page crashed.")));
}

TEST_F(SessionTest, LosesNoCallThatOpensATabToACrashOfTheTabBefore) {
    ensure_tab();
    context().while_opening = [this] { page().crash(); };
    session::PageWatch watch(session);

    ASSERT_TRUE(run(session->new_tab()));

    EXPECT_FALSE(watch.loss());
}

TEST_F(SessionTest, LosesACallToACrashOfItsTab) {
    ensure_tab();
    session::PageWatch watch(session);

    page().crash();

    EXPECT_TRUE(watch.loss());
}

TEST_F(SessionTest, ReplacesACrashedTabThatCannotEvenBeClosed) {
    ensure_tab();
    page().crashed = true;
    page().fail("close", {.code = ErrorCode::BrowserCrashed, .message = "gone"});

    ensure_tab();

    EXPECT_EQ(tabs(), "page1* ");
}

TEST_F(SessionTest, StartsAnewAfterTheBrowserWasLost) {
    ensure_tab();
    context().lose();
    EXPECT_EQ(tabs(), "");

    ensure_tab();

    EXPECT_EQ(contexts.size(), 2u);
    EXPECT_EQ(&session->current_tab()->page(), &page());
}

TEST_F(SessionTest, TriesAgainAfterTheBrowserDidNotStart) {
    open_error = Error{.code = ErrorCode::NotFound, .message = "No browser found."};

    EXPECT_EQ(run(session->ensure_tab()).error().message, "No browser found.");
    EXPECT_TRUE(run(session->ensure_tab()));
}

TEST_F(SessionTest, GivesItsBrowserBackAndGetsAnother) {
    ensure_tab();

    ASSERT_TRUE(run(session->close()));
    EXPECT_TRUE(context().was_closed);
    EXPECT_FALSE(session->has_browser());
    EXPECT_EQ(tabs(), "");

    ensure_tab();
    EXPECT_EQ(contexts.size(), 2u);
}

TEST_F(SessionTest, DoesNotListenToABrowserThatItGaveBack) {
    ensure_tab();
    auto former = contexts.back();
    ASSERT_TRUE(run(session->close()));
    ensure_tab();

    former->open_page();
    former->lose();

    EXPECT_EQ(tabs(), "page0* ");
}

TEST_F(SessionTest, MayGoBeforeItsBrowser) {
    ensure_tab();
    auto kept = contexts.back();
    session = nullptr;

    kept->open_page();
    kept->lose();
}

TEST_F(SessionTest, TakesTheFirstRootAsItsWorkspace) {
    session->set_roots({directory.path() / "a", directory.path() / "b"});

    EXPECT_EQ(session->workspace().root(), directory.path() / "a");
    EXPECT_TRUE(session->knows_roots());
}

TEST_F(SessionTest, KeepsItsWorkspaceWhenThereAreNoRoots) {
    session->set_roots({});

    EXPECT_EQ(session->workspace().root(), directory.path());
}

}  // namespace
