// A page whose caller has gone answers the next one: scripts and navigations that nobody waits for are
// stopped.
#include "engine/runaway.h"
#include "tests/engine/cdp_tab.h"

using testing::HasSubstr;
using namespace std::chrono_literals;

namespace {

class CdpFreedPageTest : public CdpTabTest {
protected:
    void SetUp() override {
        CdpTabTest::SetUp();
        // Accepts what it is asked and never says a word.
        silent.emplace(loop, [this](const fakes::HttpRequest&, const auto& connection) {
            ++asked;
            held.push_back(connection);
        });
        show("<title>Home</title><button>Go</button>");
    }
    void TearDown() override {
        held.clear();
        CdpTabTest::TearDown();
    }

    // So soon that the page cannot have been blocked.
    static Deadline at_once() { return Deadline::in(10s); }
    void expect_home() {
        auto title = run(page->evaluate("document.title", nullptr, at_once()));
        ASSERT_TRUE(title) << title.error().to_string();
        EXPECT_EQ(json::serialize(*title->value), "\"Home\"");
        auto tree = run(page->snapshot({}, nullptr, at_once()));
        ASSERT_TRUE(tree) << tree.error().to_string();
        EXPECT_THAT(*tree, HasSubstr("button \"Go\""));
    }
    template <class T>
    void drop_when_asked(Task<T> task) {
        int before = asked;
        Running running = start(std::move(task));
        fakes::run_until(loop, [&] { return asked > before; });
    }

    std::optional<fakes::HttpServer> silent;
    std::vector<std::shared_ptr<void>> held;
    int asked = 0;
};

TEST_F(CdpFreedPageTest, AnswersAfterANavigationThatTimedOut) {
    auto late = run(page->navigate(silent->url(), Deadline::in(300ms)));
    EXPECT_EQ(late.error().code, ErrorCode::Timeout);
    expect_home();
}

TEST_F(CdpFreedPageTest, AnswersAfterANavigationThatWasCancelled) {
    drop_when_asked(page->navigate(silent->url(), soon()));
    expect_home();
}

TEST_F(CdpFreedPageTest, AnswersAfterAScriptThatTimedOut) {
    auto late = run(page->evaluate("() => { for (;;); }", nullptr, Deadline::in(200ms)));
    EXPECT_EQ(late.error().code, ErrorCode::Timeout);
    expect_home();
}

TEST_F(CdpFreedPageTest, AnswersAfterAScriptThatWasCancelled) {
    drop_when_asked(page->evaluate("() => { fetch('" + silent->url() +
                                       "', { mode: 'no-cors' }); const end = "
                                       "Date.now() + 60000; while (Date.now() < end); }",
                                   nullptr, soon()));
    expect_home();
}

TEST_F(CdpFreedPageTest, LetsAScriptThatOnlyWaitsGoOn) {
    std::string script = "() => new Promise(done => setTimeout(() => { window.went = 'on'; done(); }, 700))";
    auto late = run(page->evaluate(script, nullptr, Deadline::in(100ms)));
    EXPECT_EQ(late.error().code, ErrorCode::Timeout);
    EXPECT_EQ(
        value("new Promise(done => { const look = () => window.went ? done(went) : setTimeout(look, 50); "
              "look(); })"),
        "\"on\"");
}

TEST_F(CdpFreedPageTest, StopsARunawayScriptWhenItsTimeIsUp) {
    auto looping = start(page->evaluate("() => { for (;;); }", nullptr, Deadline::in(60s)));
    auto* guard = dynamic_cast<engine::RunawayGuard*>(page.get());
    auto begun = Deadline::Clock::now();
    auto found = run(guard->stop_runaway(1000ms));
    EXPECT_EQ(found.value(), engine::RunawayGuard::Found::Stopped);
    EXPECT_GE(Deadline::Clock::now() - begun, 1000ms);
    expect_home();
}

}  // namespace
