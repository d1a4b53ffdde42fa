#include "session/page_init.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using testing::ElementsAre;

// Notes what it is asked for, and ends it when the test says so.
class FakeRunner final : public engine::CodeRunner {
public:
    Task<std::optional<std::string>> run(std::shared_ptr<engine::Page> page, std::string code,
                                         Deadline) override {
        calls.push_back(page->id() + " " + code);
        co_return "1";
    }
    Task<std::vector<std::string>> initialize(std::shared_ptr<engine::Page> page,
                                              std::filesystem::path module, Deadline) override {
        calls.push_back(page->id() + " " + module.string());
        if (failure) co_await *failure;
        if (waiting) (void)co_await *waiting;
        co_return std::vector<std::string>{"screenshot"};
    }
    void leave(const engine::Page&) override {}
    std::vector<std::string> calls;
    std::optional<Error> failure;
    std::optional<Completion<bool>> waiting;
};

class PageInitTest : public testing::Test, public fakes::FakeBrowser {
protected:
    PageInitTest()
        : FakeBrowser({.code_runner = [this](const auto&, const auto&) { return runner; },
                       .init_page = {"a.js", "b.js"}}) {}

    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }

    std::shared_ptr<FakeRunner> runner = std::make_shared<FakeRunner>();
};

TEST_F(PageInitTest, GivesEveryNewPageToTheModulesInOrder) {
    auto tab = run(session->ensure_tab());
    ASSERT_TRUE(tab);
    EXPECT_THAT(runner->calls, ElementsAre("page0 a.js", "page0 b.js"));
    EXPECT_TRUE((*tab)->replaces("screenshot"));
    EXPECT_FALSE((*tab)->replaces("click"));

    context().open_page();
    ASSERT_TRUE(run(session->ensure_tab()));
    EXPECT_THAT(runner->calls, ElementsAre("page0 a.js", "page0 b.js", "page1 a.js", "page1 b.js"));
}

TEST_F(PageInitTest, KeepsFailingOnThePageThatAModuleFailedOn) {
    runner->failure = Error{.code = ErrorCode::InvalidArgument, .message = "boom"};
    for (int time = 0; time < 2; ++time) {
        auto tab = run(session->ensure_tab());
        ASSERT_FALSE(tab);
        EXPECT_EQ(tab.error().message, "Failed to load init page \"a.js\": boom");
    }
    EXPECT_THAT(runner->calls, ElementsAre("page0 a.js"));
}

TEST_F(PageInitTest, IsWaitedForUnlessADialogHoldsItUp) {
    runner->waiting.emplace(loop);
    bool given = false;
    Running waiting = start(session->ensure_tab(),
                            [&](Result<std::shared_ptr<session::Tab>> tab) { given = tab.has_value(); });
    fakes::run_until(loop, [&] { return !runner->calls.empty(); });
    EXPECT_FALSE(given);

    page().open_dialog("alert", "Hello");

    fakes::run_until(loop, [&] { return given; });
}

TEST_F(PageInitTest, RunsCodeOnThePageOfATab) {
    auto tab = run(session->ensure_tab());
    ASSERT_TRUE(tab);

    EXPECT_EQ(*run((*tab)->run_code("page => 1", Deadline::never())), "1");

    EXPECT_EQ(runner->calls.back(), "page0 page => 1");
}

TEST_F(PageInitTest, SaysSoWhereNothingCanRunTheCode) {
    runner = nullptr;

    auto tab = run(session->ensure_tab());

    ASSERT_FALSE(tab);
    EXPECT_EQ(tab.error().code, ErrorCode::NotFound);
}

}  // namespace
