#include "browsers/pool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"
#include "util/files.h"
#include "util/processes.h"
#include "util/spawn.h"

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using ContextPtr = std::shared_ptr<engine::Context>;

class TestBrowser final : public engine::Browser {
public:
    TestBrowser(Loop& loop, engine::LaunchOptions options) : launched_with(std::move(options)), loop_(loop) {}

    Task<ContextPtr> new_context(engine::ContextOptions options, Deadline) override {
        made_with.push_back(std::move(options));
        if (hold_context) co_await *hold_context;
        if (lost) co_await Error{.code = ErrorCode::BrowserCrashed, .message = "It is gone."};
        co_return add();
    }
    Task<ContextPtr> default_context(engine::ContextOptions, Deadline) override {
        ++default_contexts;
        if (hold_context) co_await *hold_context;
        if (context_error) co_await *context_error;
        co_return add();
    }
    bool is_lost() const override { return lost; }
    void on_lost(std::function<void()> callback) override { lost_callback_ = std::move(callback); }
    const std::string& version() const override { return version_; }
    Task<> close(Deadline) override {
        if (hold_close) co_await *hold_close;
        closed = true;
    }
    void lose() {
        lost = true;
        for (const auto& context : contexts) context->lose();
        if (lost_callback_) lost_callback_();
    }

    std::vector<engine::ContextOptions> made_with;
    engine::LaunchOptions launched_with;
    std::vector<std::shared_ptr<fakes::FakeContext>> contexts;
    int default_contexts = 0;
    std::optional<Completion<bool>> hold_close, hold_context;
    std::optional<Error> context_error;
    bool lost = false, closed = false;

private:
    ContextPtr add() {
        contexts.push_back(std::make_shared<fakes::FakeContext>(loop_));
        return contexts.back();
    }
    Loop& loop_;
    std::string version_ = "Test/1";
    std::function<void()> lost_callback_;
};

class PoolTest : public testing::Test {
protected:
    std::shared_ptr<browsers::Pool> pool(browsers::PoolOptions options = {
                                             .isolation = browsers::Isolation::Context}) {
        options.context = [this]() -> Result<engine::ContextOptions> {
            if (context_error) return *context_error;
            return context_options;
        };
        options.profiles = directory.path();
        log.emplace(Log::create({.file = directory.path() / "log", .channels = "pw:mcp:*"}).value());
        return browsers::Pool::create(
            loop, std::move(options), [this](engine::LaunchOptions launch) { return start_browser(launch); },
            *log);
    }
    Task<std::shared_ptr<engine::Browser>> start_browser(engine::LaunchOptions options) {
        if (launch_error) co_await *std::exchange(launch_error, std::nullopt);
        if (hold_launch) co_await *hold_launch;
        browsers.push_back(std::make_shared<TestBrowser>(loop, std::move(options)));
        if (hold_context) browsers.back()->hold_context = *hold_context;
        if (default_context_error) browsers.back()->context_error = default_context_error;
        co_return browsers.back();
    }
    Result<ContextPtr> open(browsers::Pool& pool, const char* workspace = "/home/me/project") {
        return fakes::run_task(loop, pool.open({.workspace = workspace}));
    }
    void close(const ContextPtr& context) {
        ASSERT_TRUE(fakes::run_task(loop, context->close(Deadline::in(std::chrono::seconds(5)))));
    }
    std::vector<std::string> events() const {
        std::vector<std::string> lines;
        std::istringstream text(directory.read("log"));
        for (std::string line; std::getline(text, line);) lines.push_back(line.substr(line.find(' ') + 1));
        return lines;
    }

    Loop loop;
    fakes::TemporaryDirectory directory;
    std::optional<Log> log;
    std::vector<std::shared_ptr<TestBrowser>> browsers;
    // Somebody who asks for a context, and what came of it.
    struct Caller {
        std::optional<Result<ContextPtr>> result;
        Running running;
    };
    std::vector<std::unique_ptr<Caller>> ask_together(browsers::Pool& pool, std::size_t count) {
        std::vector<std::unique_ptr<Caller>> callers;
        for (std::size_t i = 0; i < count; ++i) {
            auto caller = std::make_unique<Caller>();
            caller->running =
                start(pool.open({.workspace = "/home/me/project"}),
                      [each = caller.get()](Result<ContextPtr> result) { each->result = std::move(result); });
            callers.push_back(std::move(caller));
        }
        return callers;
    }
    void run_until_answered(const std::vector<std::unique_ptr<Caller>>& callers) {
        fakes::run_until(loop, [&] {
            return std::ranges::all_of(callers, [](const auto& each) { return each->result.has_value(); });
        });
    }

    std::optional<Error> launch_error, context_error, default_context_error;
    engine::ContextOptions context_options;
    std::optional<Completion<bool>> hold_launch, hold_context;
};

TEST_F(PoolTest, SharesABrowserAndClosesItWithItsLastUser) {
    auto lender = pool();
    ContextPtr one = open(*lender).value(), two = open(*lender).value();
    ASSERT_EQ(browsers.size(), 1u);
    EXPECT_EQ(browsers[0]->contexts.size(), 2u);

    close(one);
    EXPECT_TRUE(browsers[0]->contexts[0]->was_closed);
    EXPECT_FALSE(browsers[0]->closed);
    close(two);
    EXPECT_TRUE(browsers[0]->closed);
    EXPECT_THAT(events(), ElementsAre("create browser (isolated)", "create context", "create context",
                                      "close context", "close browser"));
}

TEST_F(PoolTest, StartsOneBrowserForAllWhoAskMeanwhile) {
    hold_launch.emplace(loop);
    auto lender = pool();
    std::vector<Result<ContextPtr>> opened;
    auto keep = [&](Result<ContextPtr> context) { opened.push_back(std::move(context)); };
    Running first = start(lender->open({.workspace = "/a"}), keep),
            second = start(lender->open({.workspace = "/b"}), keep);
    // Whoever gives up leaves the others their browser.
    Running third = start(lender->open({.workspace = "/c"}), keep);
    third.cancel();

    hold_launch->set(true);
    fakes::run_until(loop, [&] { return opened.size() == 2; });

    EXPECT_TRUE(opened[0] && opened[1]);
    EXPECT_EQ(browsers.size(), 1u);
}

TEST_F(PoolTest, TriesAgainAfterABrowserThatDidNotStart) {
    auto lender = pool();
    launch_error = Error{.message = "no browser today"};
    EXPECT_THAT(open(*lender).error().message, HasSubstr("no browser today"));
    EXPECT_TRUE(open(*lender));
}

TEST_F(PoolTest, SaysWhatIsWrongWithTheOptionsBeforeItStartsABrowser) {
    auto lender = pool();
    context_error = Error{.message = "no such storage state"};
    EXPECT_THAT(open(*lender).error().message, HasSubstr("no such storage state"));
    EXPECT_TRUE(browsers.empty());
}

TEST_F(PoolTest, ClosesTheBrowserOfAContextThatIsDropped) {
    auto lender = pool();
    open(*lender).value().reset();
    fakes::run_until(loop, [&] { return browsers[0]->closed; });
}

TEST_F(PoolTest, GivesANewBrowserAfterOneThatDied) {
    auto lender = pool();
    ContextPtr one = open(*lender).value(), two = open(*lender).value();
    int notified = 0;
    one->on_lost([&] { ++notified; });
    two->on_lost([&] { ++notified; });

    browsers[0]->lose();

    EXPECT_EQ(notified, 2);
    EXPECT_TRUE(one->is_lost());
    EXPECT_TRUE(open(*lender));
    EXPECT_EQ(browsers.size(), 2u);
    EXPECT_EQ(std::ranges::count(events(), "browser disconnected"), 2);
}

TEST_F(PoolTest, LendsAProfileToOneSessionAtATime) {
    auto lender = pool({});
    ContextPtr mine = open(*lender).value();
    ASSERT_EQ(browsers.size(), 1u);
    EXPECT_FALSE(browsers[0]->launched_with.user_data_dir.empty());

    // Whoever comes meanwhile has a context in memory, and is told.
    std::string note;
    auto other = fakes::run_task(
        loop, lender->open({.workspace = "/home/me/project",
                            .profile_in_use = [&](std::string line) { note = std::move(line); }}));
    ASSERT_TRUE(other);
    ASSERT_EQ(browsers.size(), 2u);
    EXPECT_TRUE(browsers[1]->launched_with.user_data_dir.empty());
    EXPECT_EQ(browsers[1]->made_with.size(), 1u);
    EXPECT_THAT(note, AllOf(HasSubstr("in use by another session of this server"), HasSubstr("--isolated"),
                            HasSubstr("--isolation shared"), Not(HasSubstr("\n"))));
    EXPECT_TRUE(open(*lender, "/another/project"));

    close(mine);
    mine = open(*lender).value();
    EXPECT_EQ(browsers.back()->launched_with.user_data_dir, browsers[0]->launched_with.user_data_dir);
}

TEST_F(PoolTest, GivesTheProfileToOneOfThoseWhoAskTogether) {
    auto lender = pool({});
    auto callers = ask_together(*lender, 10);
    run_until_answered(callers);
    for (const auto& each : callers) EXPECT_TRUE(*each->result);
    EXPECT_EQ(std::ranges::count_if(
                  browsers, [](const auto& each) { return !each->launched_with.user_data_dir.empty(); }),
              1);
}

TEST_F(PoolTest, FreesTheProfileOfACallerThatGaveUpWhileTheBrowserStarted) {
    hold_launch.emplace(loop);
    auto lender = pool({});
    auto callers = ask_together(*lender, 1);
    callers[0]->running.cancel();
    hold_launch.reset();

    ContextPtr next = open(*lender).value();
    ASSERT_EQ(browsers.size(), 1u);
    EXPECT_FALSE(browsers[0]->launched_with.user_data_dir.empty());
}

TEST_F(PoolTest, OpensASharedContextOnceForAllWhoAskTogether) {
    for (browsers::PoolOptions options : {browsers::PoolOptions{.isolation = browsers::Isolation::Shared,
                                                                .user_data_dir = directory.path() / "p"},
                                          browsers::PoolOptions{.shared_context = true}}) {
        browsers.clear();
        hold_context.emplace(loop);
        auto lender = pool(options);
        auto callers = ask_together(*lender, 3);
        fakes::run_until(loop, [&] { return !browsers.empty() && browsers[0]->default_contexts > 0; });
        // The first one's leaving is no reason for the others to begin again.
        callers[0]->running.cancel();
        callers.erase(callers.begin());
        hold_context->set(true);
        run_until_answered(callers);

        for (const auto& each : callers) EXPECT_TRUE(*each->result);
        ASSERT_EQ(browsers.size(), 1u);
        EXPECT_EQ(browsers[0]->default_contexts, 1);
        (void)fakes::run_task(loop, lender->close());
    }
}

TEST_F(PoolTest, ForgetsAContextThatDidNotOpen) {
    auto lender = pool({.shared_context = true});
    default_context_error = Error{.message = "no profile today"};
    hold_context.emplace(loop);
    auto callers = ask_together(*lender, 3);
    fakes::run_until(loop, [&] { return !browsers.empty() && browsers[0]->default_contexts > 0; });
    hold_context->set(true);
    run_until_answered(callers);
    for (const auto& each : callers)
        EXPECT_THAT(each->result->error().message, HasSubstr("no profile today"));
    EXPECT_TRUE(browsers[0]->closed);

    default_context_error.reset();
    hold_context.reset();
    EXPECT_TRUE(open(*lender));
    EXPECT_EQ(browsers.size(), 2u);
}

TEST_F(PoolTest, TellsAllWhoWaitForAContextThatTheBrowserDied) {
    hold_context.emplace(loop);
    auto lender = pool({.shared_context = true});
    auto callers = ask_together(*lender, 3);
    fakes::run_until(loop, [&] { return !browsers.empty() && browsers[0]->default_contexts > 0; });
    browsers[0]->lose();
    run_until_answered(callers);
    for (const auto& each : callers) EXPECT_EQ(each->result->error().code, ErrorCode::BrowserCrashed);

    hold_context.reset();
    EXPECT_TRUE(open(*lender));
    EXPECT_EQ(browsers.size(), 2u);
}

TEST_F(PoolTest, OpensAContextInAnotherBrowserWhenTheFirstEndsMeanwhile) {
    hold_context.emplace(loop);
    auto lender = pool();
    auto callers = ask_together(*lender, 1);
    fakes::run_until(loop, [&] { return !browsers.empty() && !browsers[0]->made_with.empty(); });
    auto held = *std::exchange(hold_context, std::nullopt);
    browsers[0]->lose();
    held.set(true);

    run_until_answered(callers);

    EXPECT_TRUE(*callers[0]->result);
    EXPECT_EQ(browsers.size(), 2u);
    EXPECT_EQ(browsers[1]->contexts.size(), 1u);
}

// What another server writes into the lock of a profile.
class HeldProfile {
public:
    HeldProfile(const std::filesystem::path& profile, pid_t server, std::string state = "in-use") {
        std::filesystem::create_directories(profile);
        file_ = Descriptor(::open((profile / ".troupe-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        EXPECT_EQ(::flock(file_.get(), LOCK_EX | LOCK_NB), 0);
        std::string text = std::to_string(server) + " " + start_of(server) + " 0  " + state + "\n";
        EXPECT_GT(::write(file_.get(), text.data(), text.size()), 0);
    }
    void release() { file_ = Descriptor(); }

private:
    Descriptor file_;
};

TEST_F(PoolTest, WorksInMemoryWhileAnotherServerHasTheProfile) {
    std::filesystem::path profile = directory.path() / "profile";
    HeldProfile other(profile, ::getppid());
    for (bool shared : {false, true}) {
        browsers.clear();
        auto lender = pool({.shared_context = shared, .user_data_dir = profile});
        std::string note;
        auto request = [&] {
            return browsers::ContextRequest{
                .profile_in_use = [&](std::string line) { note = std::move(line); }};
        };
        ContextPtr one = fakes::run_task(loop, lender->open(request())).value();
        EXPECT_THAT(note, HasSubstr("in use by another server, process " + std::to_string(::getppid())));
        ContextPtr two = fakes::run_task(loop, lender->open(request())).value();
        // Those that share, share that.
        std::size_t contexts = 0;
        for (const auto& each : browsers) contexts += each->contexts.size();
        EXPECT_EQ(contexts, shared ? 1u : 2u);
        for (const auto& each : browsers) EXPECT_TRUE(each->launched_with.user_data_dir.empty());
        (void)fakes::run_task(loop, lender->close());
    }
}

TEST_F(PoolTest, WaitsForAServerThatIsLeavingTheProfile) {
    std::filesystem::path profile = directory.path() / "profile";
    HeldProfile other(profile, ::getppid(), "leaving");
    auto lender = pool({.user_data_dir = profile});
    auto callers = ask_together(*lender, 1);
    EXPECT_TRUE(browsers.empty());
    other.release();
    run_until_answered(callers);
    ASSERT_TRUE(*callers[0]->result);
    EXPECT_EQ(browsers[0]->launched_with.user_data_dir, profile);
}

TEST_F(PoolTest, WaitsForAProfileThatIsBeingSaved) {
    auto lender = pool({});
    ContextPtr mine = open(*lender).value();
    browsers[0]->hold_close.emplace(loop);
    Running closing = start(mine->close(Deadline::in(std::chrono::seconds(5))));
    std::optional<Result<ContextPtr>> next;
    Running opening = start(lender->open({.workspace = "/home/me/project"}),
                            [&](Result<ContextPtr> context) { next.emplace(std::move(context)); });
    EXPECT_EQ(browsers.size(), 1u);

    browsers[0]->hold_close->set(true);
    fakes::run_until(loop, [&] { return next.has_value(); });

    EXPECT_TRUE(*next);
    EXPECT_EQ(browsers.size(), 2u);
}

TEST_F(PoolTest, TellsEverySessionOfASharedContextAndKeepsItForTheLast) {
    auto lender = pool({.shared_context = true});
    ContextPtr one = open(*lender).value(), two = open(*lender).value();
    int opened = 0;
    one->on_page_opened([&](const auto&) { ++opened; });
    two->on_page_opened([&](const auto&) { ++opened; });
    browsers[0]->contexts[0]->open_page();
    EXPECT_EQ(opened, 2);

    close(one);
    EXPECT_FALSE(browsers[0]->contexts[0]->was_closed);
    EXPECT_EQ(two->pages().size(), 1u);
    close(two);
    EXPECT_TRUE(browsers[0]->closed);
    EXPECT_THAT(events(), ElementsAre("create browser (persistent)", "create context", "create context",
                                      "close browser"));
}

using namespace std::chrono_literals;

browsers::PoolOptions sized(browsers::PoolSizing sizing) {
    return {.isolation = browsers::Isolation::Context, .sizing = sizing};
}

TEST_F(PoolTest, KeepsABrowserForTheNextSession) {
    auto lender = pool(sized({.idle_timeout = 10min}));
    close(open(*lender).value());
    EXPECT_TRUE(browsers[0]->contexts[0]->was_closed);
    EXPECT_FALSE(browsers[0]->closed);
    EXPECT_EQ(lender->browser_count(), 0u);

    close(open(*lender).value());
    EXPECT_EQ(browsers.size(), 1u);
    // To those who watch, it went and came again.
    EXPECT_THAT(events(), ElementsAre("create browser (isolated)", "create context", "close browser",
                                      "create browser (isolated)", "create context", "close browser"));
}

TEST_F(PoolTest, ClosesABrowserThatNobodyUsedForAWhile) {
    auto lender = pool(sized({.idle_timeout = 1ms}));
    close(open(*lender).value());
    fakes::run_until(loop, [&] { return browsers[0]->closed; });
    EXPECT_TRUE(open(*lender));
    EXPECT_EQ(browsers.size(), 2u);
}

TEST_F(PoolTest, StartsTheLeastNumberOfBrowsersAtOnceAndAgainAfterALoss) {
    auto lender = pool(sized({.min_browsers = 2}));
    lender->start_browsers();
    EXPECT_EQ(browsers.size(), 2u);
    EXPECT_THAT(events(), ElementsAre());
    close(open(*lender).value());
    EXPECT_FALSE(browsers[0]->closed || browsers[1]->closed);

    browsers[1]->lose();
    fakes::run_until(loop, [&] { return browsers.size() == 3; });
}

TEST_F(PoolTest, SpreadsContextsOverBrowsers) {
    auto lender = pool(sized({.max_browsers = 2, .contexts_per_browser = 2}));
    std::vector<ContextPtr> open_ones;
    for (int i = 0; i < 6; ++i) open_ones.push_back(open(*lender).value());
    ASSERT_EQ(browsers.size(), 2u);
    EXPECT_EQ(browsers[0]->contexts.size(), 3u);
    EXPECT_EQ(browsers[1]->contexts.size(), 3u);
}

TEST_F(PoolTest, KeepsContextsReadyOnceABrowserRuns) {
    auto lender = pool(sized({.idle_timeout = 10min, .warm_contexts = 2}));
    EXPECT_TRUE(browsers.empty());
    ContextPtr first = open(*lender).value();
    TestBrowser& browser = *browsers[0];
    fakes::run_until(loop, [&] { return browser.contexts.size() == 3; });

    ContextPtr second = open(*lender).value();
    EXPECT_EQ(browser.contexts.size(), 3u);
    // The page that is there is the session's first, when it asks for one.
    EXPECT_TRUE(second->pages().empty());
    auto page = fakes::run_task(loop, second->new_page(Deadline::in(5s))).value();
    EXPECT_EQ(page, browser.contexts[1]->pages().front());
    EXPECT_EQ(second->pages().size(), 1u);

    fakes::run_until(loop, [&] { return browser.contexts.size() == 4; });
}

TEST_F(PoolTest, MakesAContextOfItsOwnForASessionWithOtherSettings) {
    auto lender = pool(sized({.idle_timeout = 10min, .warm_contexts = 1}));
    ContextPtr first = open(*lender).value();
    TestBrowser& browser = *browsers[0];
    fakes::run_until(loop, [&] { return browser.contexts.size() == 2; });

    auto special = fakes::run_task(
        loop,
        lender->open({.adjust = [](engine::ContextOptions& options) { options.user_agent = "Agent/7"; }}));
    ASSERT_TRUE(special);
    EXPECT_EQ(browser.made_with.back().user_agent, "Agent/7");
    EXPECT_EQ(browser.contexts.size(), 3u);
}

TEST_F(PoolTest, GivesASessionThatReadsTheClipboardABrowserOfItsOwn) {
    auto reads = [](engine::ContextOptions& options) { options.permissions = {"clipboard-read"}; };
    for (auto isolation : {browsers::Isolation::Context, browsers::Isolation::Profile}) {
        browsers.clear();
        auto lender = pool({.isolation = isolation});
        ContextPtr neighbour = open(*lender).value();
        ContextPtr reader =
            fakes::run_task(loop, lender->open({.workspace = "/home/me/project", .adjust = reads})).value();
        ContextPtr other =
            fakes::run_task(loop, lender->open({.workspace = "/home/me/project", .adjust = reads})).value();
        ASSERT_EQ(browsers.size(), 3u);
        for (const auto& browser : browsers) EXPECT_EQ(browser->contexts.size(), 1u);
        EXPECT_THAT(browsers[1]->made_with.front().permissions, ElementsAre("clipboard-read"));
        // Nor does the next one come to where the clipboard is read.
        ContextPtr late =
            fakes::run_task(loop, lender->open({.isolation = browsers::Isolation::Context})).value();
        EXPECT_EQ(browsers[1]->contexts.size() + browsers[2]->contexts.size(), 2u);
    }
}

TEST_F(PoolTest, GrantsNobodyToReadAClipboardThatOtherBrowsersHaveToo) {
    context_options.permissions = {"geolocation", "clipboard-read"};
    auto lender = pool({.isolation = browsers::Isolation::Context, .machine_clipboard = true});
    ContextPtr reader = open(*lender).value();
    EXPECT_THAT(browsers[0]->made_with.front().permissions, ElementsAre("geolocation"));
}

TEST_F(PoolTest, ReplacesReadyContextsWhenSettingsHaveChanged) {
    auto lender = pool(sized({.idle_timeout = 10min, .warm_contexts = 1}));
    ContextPtr first = open(*lender).value();
    TestBrowser& browser = *browsers[0];
    fakes::run_until(loop, [&] { return browser.contexts.size() == 2; });

    context_options.init_scripts = {"window.changed = true;"};
    ContextPtr second = open(*lender).value();
    EXPECT_EQ(browser.made_with.back().init_scripts.size(), 1u);
    fakes::run_until(loop, [&] { return browser.contexts.size() == 4; });
    EXPECT_EQ(browser.made_with.back().init_scripts.size(), 1u);
}

TEST_F(PoolTest, LetsOneMoreInWhenAContextIsGivenBack) {
    auto options = sized({.idle_timeout = 10min});
    options.admission = {.max_contexts = 1};
    auto lender = pool(options);
    ContextPtr mine = open(*lender).value();
    std::optional<Result<ContextPtr>> next;
    Running opening =
        start(lender->open({}), [&](Result<ContextPtr> context) { next.emplace(std::move(context)); });
    EXPECT_EQ(lender->occupancy().waiting, 1u);

    close(mine);
    fakes::run_until(loop, [&] { return next.has_value(); });
    EXPECT_TRUE(*next);
}

}  // namespace
