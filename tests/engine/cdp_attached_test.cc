// Somebody else's browser: what we do in it, and what nobody there notices.
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/cdp/browser.h"
#include "engine/cdp/connector.h"
#include "tests/engine/cdp_chromium.h"
#include "tests/fakes/fake_browser.h"

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

namespace {

// What a page can know about how it is looked at.
constexpr const char* kState =
    "[document.visibilityState, document.hasFocus(), innerWidth, innerHeight, devicePixelRatio, "
    "navigator.userAgent, "
    "matchMedia('print').matches, window.noticed.join()].join(' ')";

constexpr const char* kUserPage =
    "<title>user</title><body>of the user<script>window.noticed = [];"
    "for (const name of ['focus', 'blur']) addEventListener(name, () => noticed.push(name));"
    "document.addEventListener('visibilitychange', () => noticed.push('visibility'));</script>";

// The user has the pipe, we have the port.
class AttachedTest : public ChromiumTest {
protected:
    void SetUp() override {
        engine::LaunchOptions options{.arguments = {"--remote-debugging-port=0"},
                                      .user_data_dir = directory.path()};
        // Only a whole browser has tabs in front of others.
        if (std::filesystem::exists("/usr/bin/chromium")) options.executable = "/usr/bin/chromium";
        auto launched = run(cdp::launch(loop, std::move(options), log));
        ASSERT_TRUE(launched) << launched.error().to_string();
        process = std::move(*launched);
        browser = process->connection()->browser();
        std::filesystem::path port_file = directory.path() / "DevToolsActivePort";
        run_until(
            [&] { return std::filesystem::exists(port_file) && std::filesystem::file_size(port_file) > 0; });
        std::ifstream(port_file) >> port;
        serve_html("/user", kUserPage);
        serve_html("/ours",
                   "<title>ours</title><body>Hello<button onclick='window.open(`/popup`)'>Open</button>");
        serve_html("/popup", "<title>popup</title>up");
    }
    void TearDown() override {
        context_of_ours.reset();
        ours.reset();
        if (process) (void)run(process->close(soon()));
    }
    static Deadline soon() { return Deadline::in(15s); }

    // A tab that the user opened, loaded.
    std::string user_tab(const std::string& path) {
        std::string id =
            text(*run(browser->send("Target.createTarget", {{"url", site() + path}})), "targetId");
        // A new tab comes to the front a moment after it opened.
        std::string shown = site() + path + " complete true";
        run_until([&] {
            return ask(id, "[location.href, document.readyState, document.hasFocus()].join(' ')") == shown;
        });
        return id;
    }
    // What the user sees there, without a trace.
    std::string ask(const std::string& tab, const std::string& expression) {
        auto attached = run(browser->send("Target.attachToTarget", {{"targetId", tab}, {"flatten", true}}));
        SessionPtr session = process->connection()->session(text(*attached, "sessionId"));
        std::string value = evaluate_text(session, expression);
        (void)run(browser->send("Target.detachFromTarget", {{"sessionId", session->id()}}));
        return value;
    }
    std::map<std::string, bool> tabs() {  // id, and whether somebody is attached
        std::map<std::string, bool> found;
        auto targets = run(browser->send("Target.getTargets"));
        for (const json::value& each : targets->at("targetInfos").as_array()) {
            if (text(each, "type") == "page") found[text(each, "targetId")] = each.at("attached").as_bool();
        }
        return found;
    }

    engine::ConnectOptions connect_options() {
        return {.endpoint = "http://127.0.0.1:" + std::to_string(port),
                .tab_claims = (directory.path() / "claims").string()};
    }
    Result<std::shared_ptr<cdp::Browser>> another_line(engine::ConnectOptions options) {
        auto connected = run(cdp::connect(loop, options, log));
        if (!connected) return connected.error();
        return run(cdp::Browser::attach(loop, std::move(*connected), options, log));
    }
    // Beside others that have claimed these tabs.
    void attach(const std::vector<std::string>& tabs_in_use = {}) {
        for (const std::string& tab : tabs_in_use)
            others.push_back(engine::TabClaims(connect_options().tab_claims).claim(tab).value());
        auto attached = another_line(connect_options());
        ASSERT_TRUE(attached) << attached.error().message;
        ours = *attached;
    }
    void open_default(engine::ContextOptions options = {.viewport = {}}) {
        auto opened = run(ours->default_context(std::move(options), soon()));
        ASSERT_TRUE(opened) << opened.error().message;
        context_of_ours = *opened;
    }
    std::shared_ptr<engine::Page> new_page() {
        auto made = run(context_of_ours->new_page(soon()));
        EXPECT_TRUE(made) << made.error().message;
        return made ? *made : nullptr;
    }
    void click(engine::Page& page, const std::string& target) {
        auto found = run(page.find(target, engine::Language::JavaScript, engine::Matches::One, soon()));
        ASSERT_TRUE(found) << found.error().message;
        auto clicked = run(page.click(found->element, {}, soon()));
        EXPECT_TRUE(clicked) << clicked.error().message;
    }

    fakes::TemporaryDirectory directory;
    int port = 0;
    std::vector<engine::TabClaim> others;
    std::shared_ptr<cdp::Browser> ours;
    std::shared_ptr<engine::Context> context_of_ours;
};

}  // namespace

TEST_F(AttachedTest, TakesTheTabThatWasUsedLastAndNoOther) {
    std::string first = user_tab("/user");
    std::string last = user_tab("/user");
    std::string before = ask(last, "String(innerWidth)");

    attach();
    open_default();

    ASSERT_THAT(context_of_ours->pages(), SizeIs(1));
    EXPECT_EQ(context_of_ours->pages()[0]->id(), last);
    EXPECT_EQ(context_of_ours->pages()[0]->url(), site() + "/user");
    EXPECT_EQ(ask(last, "String(innerWidth)"), before);
    for (const auto& [id, attached] : tabs()) EXPECT_EQ(attached, id == last) << id;
}

TEST_F(AttachedTest, LeavesTheUsersOtherTabsAsTheyAre) {
    std::string hidden = user_tab("/user");
    std::string reused = user_tab("/user");
    std::string front = user_tab("/user");
    std::string hidden_before = ask(hidden, kState), front_before = ask(front, kState);

    attach({front});  // another session's: as good as not ours
    open_default({.viewport = engine::Size{500, 400}, .user_agent = "Agent", .color_scheme = "dark"});
    ASSERT_THAT(context_of_ours->pages(), SizeIs(1));
    auto page = new_page();
    ASSERT_TRUE(run(page->navigate(site() + "/ours", soon())));
    EXPECT_EQ(json::serialize(
                  *run(page->evaluate("() => [innerWidth, navigator.userAgent]", nullptr, soon()))->value),
              "[500,\"Agent\"]");
    // It acts as if it were in front, and is not.
    EXPECT_EQ(json::serialize(*run(page->evaluate("() => document.hasFocus()", nullptr, soon()))->value),
              "true");
    EXPECT_TRUE(run(page->bring_to_front(soon())));
    EXPECT_TRUE(run(page->screenshot({}, nullptr, soon())));

    EXPECT_EQ(ask(hidden, kState), hidden_before);
    EXPECT_EQ(ask(front, kState), front_before);
    auto all = tabs();
    EXPECT_FALSE(all.at(hidden));
    EXPECT_FALSE(all.at(front));
}

TEST_F(AttachedTest, DoesNotStopTabsThatTheUserOpens) {
    attach();
    open_default();
    std::size_t pages = context_of_ours->pages().size();
    // It loads, which it would not while it waits for a debugger.
    std::string tab = user_tab("/user");
    EXPECT_EQ(ask(tab, "document.title"), "user");
    // What it opens is the user's as well.
    (void)ask(tab, "void window.open('/popup')");
    run_until([&] { return tabs().size() >= 3; });
    EXPECT_THAT(context_of_ours->pages(), SizeIs(pages));
    EXPECT_FALSE(tabs().at(tab));
}

TEST_F(AttachedTest, FollowsWhatItsOwnTabsOpen) {
    attach();
    open_default();
    auto page = new_page();
    ASSERT_TRUE(run(page->navigate(site() + "/ours", soon())));
    std::vector<std::shared_ptr<engine::Page>> opened;
    context_of_ours->on_page_opened([&](auto popup) { opened.push_back(std::move(popup)); });
    click(*page, "text=Open");
    run_until([&] { return opened.size() == 1; });
    run_until([&] { return opened[0]->url() == site() + "/popup"; });
    EXPECT_EQ(*run(opened[0]->title(soon())), "popup");
    EXPECT_TRUE(run(opened[0]->close(soon())));
}

TEST_F(AttachedTest, LeavesEmulationOfOthersInEffect) {
    std::string tab = user_tab("/user");
    auto attached = run(browser->send("Target.attachToTarget", {{"targetId", tab}, {"flatten", true}}));
    SessionPtr user = process->connection()->session(text(*attached, "sessionId"));
    ASSERT_TRUE(run(user->send("Emulation.setEmulatedMedia", {{"media", "print"}})));
    attach();
    open_default();
    EXPECT_EQ(evaluate_text(user, "String(matchMedia('print').matches)"), "true");
}

TEST_F(AttachedTest, OnlyTakesLeaveWhenItCloses) {
    std::string tab = user_tab("/user");
    attach();
    open_default({.viewport = engine::Size{500, 400}});
    std::string made = new_page()->id();
    EXPECT_EQ(ask(tab, "String(innerWidth)"), "500");

    ASSERT_TRUE(run(context_of_ours->close(soon())));
    EXPECT_THAT(context_of_ours->pages(), IsEmpty());
    context_of_ours.reset();
    ASSERT_TRUE(run(ours->close(soon())));
    EXPECT_TRUE(ours->is_lost());

    auto left = tabs();
    EXPECT_TRUE(left.contains(tab));
    EXPECT_TRUE(left.contains(made));
    EXPECT_FALSE(left.at(tab));
    EXPECT_NE(ask(tab, "String(innerWidth)"), "500");
    // And back again.
    attach();
    open_default();
    EXPECT_THAT(context_of_ours->pages(), SizeIs(1));
}

TEST_F(AttachedTest, DoesWithoutATabThatDoesNotAnswer) {
    std::string tab = user_tab("/user");
    auto attached = run(browser->send("Target.attachToTarget", {{"targetId", tab}, {"flatten", true}}));
    SessionPtr user = process->connection()->session(text(*attached, "sessionId"));
    bool busy = false;
    ASSERT_TRUE(run(user->send("Runtime.enable")));
    auto watch = user->on("Runtime.consoleAPICalled", [&](const json::object&) { busy = true; });
    user->post("Runtime.evaluate", {{"expression", "console.log('busy'); for (;;);"}});
    run_until([&] { return busy; });
    (void)run(browser->send("Target.detachFromTarget", {{"sessionId", user->id()}}));
    run_until([&] { return !tabs().at(tab); });

    std::vector<std::string> in_use;
    for (const auto& [id, is_attached] : tabs()) {
        if (id != tab) in_use.push_back(id);
    }
    attach(in_use);
    open_default();
    EXPECT_THAT(context_of_ours->pages(), IsEmpty());
    EXPECT_TRUE(new_page());
    // And has no claim to it any more.
    EXPECT_FALSE(engine::TabClaims(connect_options().tab_claims).is_claimed(tab));
}

TEST_F(AttachedTest, NeverTakesATabThatSomebodyIsAttachedTo) {
    user_tab("/user");
    for (const auto& [id, is_attached] : tabs())
        ASSERT_TRUE(run(browser->send("Target.attachToTarget", {{"targetId", id}, {"flatten", true}})));
    attach();
    open_default();
    EXPECT_THAT(context_of_ours->pages(), IsEmpty());
    EXPECT_TRUE(new_page());
}

TEST_F(AttachedTest, TakesATabOfATestRunnerWhereItMay) {
    std::string tab = user_tab("/user"), claimed = user_tab("/user");
    for (const auto& [id, is_attached] : tabs())
        ASSERT_TRUE(run(browser->send("Target.attachToTarget", {{"targetId", id}, {"flatten", true}})));
    auto other = engine::TabClaims(connect_options().tab_claims).claim(claimed).value();
    engine::ConnectOptions options = connect_options();
    options.first_tab = engine::FirstTab::Any;
    ours = another_line(options).value();
    open_default();
    ASSERT_THAT(context_of_ours->pages(), SizeIs(1));
    EXPECT_EQ(context_of_ours->pages()[0]->id(), tab);
}

TEST_F(AttachedTest, GivesEachOfThoseWhoComeTogetherATabOfItsOwn) {
    user_tab("/user");
    std::vector<std::shared_ptr<cdp::Browser>> lines;
    for (int i = 0; i < 3; ++i) lines.push_back(another_line(connect_options()).value());
    std::vector<std::shared_ptr<engine::Context>> contexts;
    std::vector<Running> opening;
    for (const auto& line : lines)
        opening.push_back(start(line->default_context({.viewport = {}}, soon()),
                                [&](Result<std::shared_ptr<engine::Context>> result) {
                                    ASSERT_TRUE(result) << result.error().message;
                                    contexts.push_back(*result);
                                }));
    run_until([&] { return contexts.size() == lines.size(); });
    // There are two: the third has to open its own.
    std::set<std::string> taken;
    std::size_t pages = 0;
    for (const auto& context : contexts) {
        pages += context->pages().size();
        for (const auto& page : context->pages()) taken.insert(page->id());
    }
    EXPECT_EQ(pages, 2u);
    EXPECT_EQ(taken.size(), 2u);
    contexts.clear();
    for (const auto& line : lines) ASSERT_TRUE(run(line->close(soon())));
}

TEST_F(AttachedTest, OpensTheProfilesContextOnceAtATime) {
    attach();
    open_default();
    auto second = run(ours->default_context({}, soon()));
    ASSERT_FALSE(second);
    // The first one is none the worse for it.
    EXPECT_TRUE(new_page());
    context_of_ours.reset();
    open_default();
}

TEST_F(AttachedTest, HasContextsOfItsOwn) {
    std::string tab = user_tab("/user");
    std::string before = ask(tab, kState);
    attach();
    auto opened = run(ours->new_context({}, soon()));
    ASSERT_TRUE(opened) << opened.error().message;
    context_of_ours = *opened;
    EXPECT_THAT(context_of_ours->pages(), IsEmpty());
    auto page = new_page();
    ASSERT_TRUE(run(page->navigate(site() + "/ours", soon())));
    EXPECT_EQ(json::serialize(*run(page->evaluate("() => innerWidth", nullptr, soon()))->value), "1280");
    click(*page, "text=Open");
    run_until([&] { return context_of_ours->pages().size() == 2; });
    std::string id = page->id();
    ASSERT_TRUE(run(context_of_ours->close(soon())));
    run_until([&] { return !tabs().contains(id); });
    EXPECT_EQ(ask(tab, kState), before);
}

TEST_F(AttachedTest, TellsACallUnderWayThatTheBrowserWent) {
    attach();
    open_default();
    auto page = new_page();
    bool lost = false;
    context_of_ours->on_lost([&] { lost = true; });
    std::optional<Result<engine::Page::Evaluated>> outcome;
    Running running = start(page->evaluate("() => new Promise(() => {})", nullptr, soon()),
                            [&](Result<engine::Page::Evaluated> result) { outcome = std::move(result); });
    ASSERT_TRUE(run(process->close(soon())));
    process.reset();
    run_until([&] { return outcome && lost; });
    ASSERT_FALSE(*outcome);
    EXPECT_THAT(outcome->error().message, HasSubstr("closed"));
    EXPECT_TRUE(ours->is_lost());
    auto again = run(cdp::connect(loop, {.endpoint = "http://127.0.0.1:" + std::to_string(port)}, log));
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message, HasSubstr("connect ECONNREFUSED"));
}
