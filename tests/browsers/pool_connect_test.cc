// Sessions in a browser that somebody else started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "browsers/pool.h"
#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

using testing::SizeIs;

namespace {

using ContextPtr = std::shared_ptr<engine::Context>;

// A line to the browser, with one tab in the profile.
class Line final : public engine::Browser {
public:
    explicit Line(Loop& loop) : profile(std::make_shared<fakes::FakeContext>(loop)), loop_(loop) {
        profile->open_page();
    }

    Task<ContextPtr> new_context(engine::ContextOptions, Deadline) override {
        ++new_contexts;
        co_return std::make_shared<fakes::FakeContext>(loop_);
    }
    Task<ContextPtr> default_context(engine::ContextOptions, Deadline) override {
        ++default_contexts;
        co_await sleep_for(loop_, std::chrono::milliseconds(1));
        co_return profile;
    }
    bool is_lost() const override { return lost; }
    void on_lost(std::function<void()>) override {}
    const std::string& version() const override { return version_; }
    Task<> close(Deadline) override {
        closed = true;
        co_return;
    }
    void lose() {
        lost = true;
        profile->lose();
    }

    std::shared_ptr<fakes::FakeContext> profile;
    int new_contexts = 0, default_contexts = 0;
    bool lost = false, closed = false;

private:
    Loop& loop_;
    std::string version_;
};

class PoolConnectTest : public testing::Test {
protected:
    void make(browsers::PoolOptions options = {}) {
        options.context = [] { return Result<engine::ContextOptions>(engine::ContextOptions{}); };
        options.connect.endpoint = "http://localhost:9222";
        options.connect.tab_claims = (directory.path() / "claims").string();
        options.profiles = directory.path();
        pool = browsers::Pool::create(
            loop, std::move(options), [](engine::LaunchOptions) { return launch(); }, log,
            [this](engine::ConnectOptions given) { return connect(std::move(given)); });
    }
    Result<ContextPtr> open() { return fakes::run_task(loop, pool->open({.workspace = "/home/me/project"})); }
    static Task<std::shared_ptr<engine::Browser>> launch() {
        co_return Error{.code = ErrorCode::InternalError, .message = "A browser was started."};
    }
    Task<std::shared_ptr<engine::Browser>> connect(engine::ConnectOptions options) {
        asked.push_back(std::move(options));
        if (refuses) co_return Error{.code = ErrorCode::NetworkError, .message = "connect ECONNREFUSED"};
        lines.push_back(std::make_shared<Line>(loop));
        co_return lines.back();
    }

    Loop loop;
    Log log = Log::silent();
    fakes::TemporaryDirectory directory;
    std::shared_ptr<browsers::Pool> pool;
    std::vector<engine::ConnectOptions> asked;
    std::vector<std::shared_ptr<Line>> lines;
    bool refuses = false;
};

}  // namespace

// Whose a tab is, the lines settle among themselves: see engine/tab_claims.h.
TEST_F(PoolConnectTest, EachSessionHasALineOfItsOwn) {
    make();
    ContextPtr one = open().value(), two = open().value();
    ASSERT_THAT(asked, SizeIs(2));
    EXPECT_EQ(asked[0].endpoint, "http://localhost:9222");
    EXPECT_EQ(asked[1].tab_claims, (directory.path() / "claims").string());

    ASSERT_TRUE(fakes::run_task(loop, one->close(Deadline::in(std::chrono::seconds(5)))));
    EXPECT_TRUE(lines[0]->closed);
    EXPECT_FALSE(lines[1]->closed);
}

TEST_F(PoolConnectTest, IsolatedSessionsShareALine) {
    make({.isolation = browsers::Isolation::Context});
    ContextPtr one = open().value(), two = open().value();
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines[0]->new_contexts, 2);
    lines[0]->lost = true;
    ContextPtr three = open().value();
    EXPECT_THAT(lines, SizeIs(2));
}

TEST_F(PoolConnectTest, SharedSessionsShareTheTabs) {
    make({.shared_context = true});
    ContextPtr one = open().value(), two = open().value();
    EXPECT_THAT(lines, SizeIs(1));
    EXPECT_EQ(one->pages()[0], two->pages()[0]);
}

TEST_F(PoolConnectTest, ThoseWhoAskTogetherShareOneContext) {
    make({.isolation = browsers::Isolation::Shared});
    std::vector<Result<ContextPtr>> opened;
    std::vector<Running> callers;
    for (int i = 0; i < 3; ++i)
        callers.push_back(
            start(pool->open({}), [&](Result<ContextPtr> result) { opened.push_back(std::move(result)); }));
    fakes::run_until(loop, [&] { return opened.size() == 3; });
    for (const auto& each : opened) EXPECT_TRUE(each);
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines[0]->default_contexts, 1);
}

TEST_F(PoolConnectTest, ConnectsAgainWhenAskedAgain) {
    make();
    refuses = true;
    EXPECT_EQ(open().error().message, "connect ECONNREFUSED");
    refuses = false;
    ContextPtr one = open().value();
    lines[0]->lose();
    EXPECT_TRUE(one->is_lost());
    ContextPtr again = open().value();
    EXPECT_FALSE(again->is_lost());
    EXPECT_EQ(pool->browser_count(), 1u);
}
