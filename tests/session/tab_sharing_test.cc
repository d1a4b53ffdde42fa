#include "session/tab_sharing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "browsers/context_lease.h"
#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using session::Session;
using session::Tab;
using session::TabAccess;
using testing::HasSubstr;

class OneContextBrowser final : public engine::Browser {
public:
    explicit OneContextBrowser(Loop& loop) : context(std::make_shared<fakes::FakeContext>(loop)) {}

    Task<std::shared_ptr<engine::Context>> new_context(engine::ContextOptions, Deadline) override {
        co_return context;
    }
    Task<std::shared_ptr<engine::Context>> default_context(engine::ContextOptions, Deadline) override {
        co_return context;
    }
    bool is_lost() const override { return false; }
    void on_lost(std::function<void()>) override {}
    const std::string& version() const override { return version_; }
    Task<> close(Deadline) override { co_return; }

    std::shared_ptr<fakes::FakeContext> context;

private:
    std::string version_ = "Test/1";
};

// Two sessions with a tab each in one context.
class TabSharingTest : public testing::Test {
protected:
    TabSharingTest() {
        browsers::PoolOptions options{.isolation = browsers::Isolation::Shared};
        options.context = [] { return Result<engine::ContextOptions>(engine::ContextOptions{}); };
        pool = browsers::Pool::create(
            loop, std::move(options), [this](engine::LaunchOptions) { return launch(); }, log);
        ann = make(), bob = make();
        first = run(ann->ensure_tab()).value();
        own = run(bob->ensure_tab()).value();
    }
    Task<std::shared_ptr<engine::Browser>> launch() { co_return browser; }
    std::shared_ptr<Session> make() {
        return Session::create(loop, {.working_directory = directory.path(), .tab_ids = true},
                               [this](const session::Workspace& workspace) {
                                   return pool->open({.workspace = workspace.root()});
                               });
    }
    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }

    Loop loop;
    fakes::TemporaryDirectory directory;
    Log log = Log::create({.file = directory.path() / "log"}).value();
    std::shared_ptr<OneContextBrowser> browser = std::make_shared<OneContextBrowser>(loop);
    std::shared_ptr<browsers::Pool> pool;
    session::TabSharing tab_sharing;
    std::shared_ptr<Session> ann, bob;
    std::shared_ptr<Tab> first, own;
};

TEST_F(TabSharingTest, HandsATabOverUnderAnotherId) {
    auto id = run(tab_sharing.share(ann, first, bob, TabAccess::Full));
    ASSERT_TRUE(id);
    EXPECT_NE(*id, first->id());
    EXPECT_TRUE(bob->named_tab(*id));
    EXPECT_EQ(bob->current_tab(), own);
    EXPECT_TRUE(ann->tabs().empty());
    EXPECT_EQ(ann->current_tab(), nullptr);

    // By its first name it is nobody's, also when its first owner has it back.
    EXPECT_THAT(bob->named_tab(first->id()).error().message, HasSubstr("changed hands"));
    ASSERT_TRUE(run(tab_sharing.release(bob, bob->named_tab(*id).value())));
    ASSERT_EQ(ann->tabs().size(), 1u);
    auto late = ann->named_tab(first->id());
    ASSERT_FALSE(late);
    EXPECT_THAT(late.error().hint, HasSubstr(ann->tabs()[0]->id()));
    EXPECT_FALSE(bob->named_tab(*id));
}

TEST_F(TabSharingTest, EndsWithWhomItBelongsTo) {
    ASSERT_TRUE(run(tab_sharing.share(ann, first, bob, TabAccess::Full)));
    ASSERT_TRUE(run(ann->close()));
    EXPECT_EQ(browser->context->pages().size(), 2u);
    EXPECT_EQ(bob->tabs().size(), 2u);

    std::shared_ptr<Session> eve = make();
    (void)run(eve->ensure_tab());
    ASSERT_TRUE(run(tab_sharing.share(bob, own, eve, TabAccess::ReadOnly)));
    EXPECT_EQ(eve->tabs().size(), 2u);
    ASSERT_TRUE(run(bob->close()));
    EXPECT_EQ(eve->tabs().size(), 1u);
}

TEST_F(TabSharingTest, LendsATabThatOnlyItsOwnerMayPassOn) {
    auto id = run(tab_sharing.share(ann, first, bob, TabAccess::ReadOnly));
    ASSERT_TRUE(id);
    auto lent = bob->named_tab(*id).value();
    EXPECT_TRUE(lent->is_read_only());
    EXPECT_EQ(ann->tabs().size(), 1u);
    EXPECT_FALSE(first->is_read_only());
    EXPECT_EQ(run(tab_sharing.share(bob, lent, ann, TabAccess::Full)).error().code, ErrorCode::PolicyDenied);
    EXPECT_EQ(tab_sharing.offer(bob, lent, TabAccess::ReadOnly).error().code, ErrorCode::PolicyDenied);
    EXPECT_EQ(run(bob->close_tab(1)).error().code, ErrorCode::PolicyDenied);

    // The borrower's end is not the tab's; nor is the loan's.
    ASSERT_TRUE(run(tab_sharing.release(ann, first)));
    EXPECT_FALSE(bob->named_tab(*id));
    EXPECT_EQ(browser->context->pages().size(), 2u);
    EXPECT_THAT(run(tab_sharing.release(ann, first)).error().message, HasSubstr("not shared"));
}

TEST_F(TabSharingTest, RedeemsATokenOnce) {
    std::string token = tab_sharing.offer(ann, first, TabAccess::Full).value();
    EXPECT_FALSE(run(tab_sharing.redeem("guessed", bob)));
    EXPECT_TRUE(run(tab_sharing.redeem(token, bob)));
    EXPECT_FALSE(run(tab_sharing.redeem(token, bob)));
    EXPECT_EQ(bob->tabs().size(), 2u);
}

TEST_F(TabSharingTest, KeepsATokenFromTakingATabThatIsInUseOrGone) {
    std::string token = tab_sharing.offer(ann, first, TabAccess::Full).value();
    {
        auto turn = run(ann->take_turn(Deadline::never()));
        EXPECT_THAT(run(tab_sharing.redeem(token, bob)).error().message,
                    HasSubstr("in the middle of a call"));
    }
    ASSERT_TRUE(run(ann->close_tab(0)));
    EXPECT_THAT(run(tab_sharing.redeem(token, bob)).error().message, HasSubstr("gone"));
    // Withdrawn by its owner.
    std::string another = tab_sharing.offer(bob, own, TabAccess::Full).value();
    ASSERT_TRUE(run(tab_sharing.release(bob, own)));
    EXPECT_FALSE(run(tab_sharing.redeem(another, ann)));
}

TEST_F(TabSharingTest, PutsATabUnderTheRulesOfWhoHasIt) {
    auto rules = [&](const Tab& tab) { return browser->context->page_rules[tab.page().id()]; };
    auto context = run(ann->ensure_browser()).value();
    ASSERT_TRUE(run(context->set_routes({{.pattern = "**/a"}}, Deadline::never())));
    ASSERT_TRUE(run(context->set_offline(true, Deadline::never())));
    EXPECT_EQ(context->routes().size(), 1u);
    EXPECT_EQ(rules(*first).offline, true);
    EXPECT_FALSE(rules(*own).offline);
    EXPECT_TRUE(run(bob->ensure_browser()).value()->routes().empty());
    EXPECT_TRUE(browser->context->route_list.empty());

    ASSERT_TRUE(run(tab_sharing.share(ann, first, bob, TabAccess::Full)));
    EXPECT_EQ(rules(*first).offline, false);
    EXPECT_TRUE(rules(*first).routes->empty());
    // What opens later has them from the start.
    auto next = run(ann->new_tab()).value();
    EXPECT_EQ(rules(*next).offline, true);
    EXPECT_EQ(rules(*next).routes->size(), 1u);
}

TEST(TabSharing, IsForSessionsThatShareAContext) {
    fakes::FakeBrowser fake;
    auto tab = fakes::run_task(fake.loop, fake.session->ensure_tab()).value();
    session::TabSharing tab_sharing;
    EXPECT_THAT(tab_sharing.offer(fake.session, tab, TabAccess::Full).error().hint,
                HasSubstr("--isolation shared"));
}

}  // namespace
