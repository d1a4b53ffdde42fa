// What the code of a session can reach of a browser that others use too: its own, and nothing by any other
// name.
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/fields.h"
#include "engine/playwright/proxy.h"
#include "engine/playwright/rules.h"
#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"
#include "util/files.h"

using cdp::text_of;
using playwright::CommandScope;
using playwright::Proxy;
using playwright::Rule;
using playwright::rule_for;
using playwright::Scope;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

// A browser made up by the test: it is told what was sent, and says what the test wants.
class FakeTransport final : public cdp::Transport {
public:
    explicit FakeTransport(std::deque<json::object>& sent, std::function<void(std::string_view)>& receive)
        : sent_(sent), receive_(receive) {}
    void start(std::function<void(std::string_view)> on_message, std::function<void(std::string)>) override {
        receive_ = std::move(on_message);
    }
    void send(std::string message) override { sent_.push_back(json::parse(message)->as_object()); }
    void close() override {}

private:
    std::deque<json::object>& sent_;
    std::function<void(std::string_view)>& receive_;
};

class PlaywrightProxy : public testing::Test {
protected:
    PlaywrightProxy() {
        connection = cdp::Connection::create(loop, std::make_unique<FakeTransport>(sent, receive), log);
        proxy = make_proxy("mine");
    }

    std::shared_ptr<Proxy> make_proxy(const std::string& context, Scope scope = Scope::Context) {
        auto made = Proxy::create(
            connection, context, scope, [this](const json::object& message) { answers.push_back(message); },
            [this] { lost = true; });
        EXPECT_EQ(text_of(sent.back(), "method"), "Target.attachToBrowserTarget");
        answer({{"sessionId", "line"}});
        return made;
    }

    // The browser answers the last command it got.
    void answer(json::object result) {
        json::object message{{"id", sent.back().at("id")}, {"result", std::move(result)}};
        receive(json::serialize(message));
    }
    void event(const std::string& session, std::string_view method, json::object params) {
        json::object message{{"method", method}, {"params", std::move(params)}};
        if (!session.empty()) message["sessionId"] = session;
        receive(json::serialize(message));
    }
    // The helper sends a command.
    void command(std::string_view method, json::object params = {}, const std::string& session = "") {
        json::object message{{"id", ++last}, {"method", method}, {"params", std::move(params)}};
        if (!session.empty()) message["sessionId"] = session;
        sent.clear();
        answers.clear();
        proxy->take(message);
    }
    // The browser attaches a page as it was asked to.
    void attach(const std::string& target, const std::string& session) {
        ASSERT_EQ(text_of(sent.back(), "method"), "Target.attachToTarget");
        ASSERT_EQ(text_of(sent.back().at("params").as_object(), "targetId"), target);
        json::object info{{"targetId", target}, {"type", "page"}, {"browserContextId", "mine"}};
        event("line", "Target.attachedToTarget", {{"sessionId", session}, {"targetInfo", info}});
        answer({{"sessionId", session}});
    }
    // A helper that has connected and was shown the page "own" as session "s1".
    void connect() {
        proxy->show_page("own");
        command("Target.setAutoAttach", {{"autoAttach", true}, {"flatten", true}});
        attach("own", "s1");
        answers.clear();
        sent.clear();
    }
    // The error that the helper got, while the browser got nothing.
    std::string refusal() {
        if (!sent.empty()) return "reached the browser: " + json::serialize(sent.back());
        if (answers.size() != 1 || !answers[0].contains("error")) return "was not refused";
        return text_of(answers[0].at("error").as_object(), "message");
    }
    std::vector<std::string> methods_sent() const {
        std::vector<std::string> names;
        for (const auto& message : sent)
            names.push_back(text_of(message, "sessionId") + " " + text_of(message, "method"));
        return names;
    }

    Loop loop;
    Log log = Log::silent();
    std::deque<json::object> sent;
    std::deque<json::object> answers;
    std::function<void(std::string_view)> receive;
    std::shared_ptr<cdp::Connection> connection;
    std::shared_ptr<Proxy> proxy;
    bool lost = false;
    std::int64_t last = 0;
};

TEST_F(PlaywrightProxy, ShowsAPageOnceTheHelperAsksForTargets) {
    proxy->show_page("own");
    EXPECT_THAT(answers, IsEmpty());

    command("Target.setAutoAttach", {{"autoAttach", true}, {"flatten", true}});
    EXPECT_THAT(methods_sent(), ElementsAre("line Target.attachToTarget"));
    attach("own", "s1");

    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(text_of(answers[0], "method"), "Target.attachedToTarget");
    EXPECT_EQ(text_of(answers[0].at("params").as_object(), "sessionId"), "s1");
    EXPECT_EQ(answers[1].at("id"), last) << "the answer comes behind the pages";
}

TEST_F(PlaywrightProxy, HoldsBackWhatComesBeforeItsLineIsThere) {
    sent.clear();
    auto early = Proxy::create(connection, "mine", Scope::Context,
                               [this](const json::object& message) { answers.push_back(message); }, {});
    early->take({{"id", 1}, {"method", "Browser.getVersion"}});
    EXPECT_EQ(sent.size(), 1u);

    answer({{"sessionId", "line2"}});

    EXPECT_THAT(methods_sent(), ElementsAre(" Target.attachToBrowserTarget", "line2 Browser.getVersion"));
}

TEST_F(PlaywrightProxy, RefusesTargetsThatItHasNotShown) {
    connect();
    for (const char* method :
         {"Target.attachToTarget", "Target.closeTarget", "Target.activateTarget", "Target.getTargetInfo"}) {
        command(method, {{"targetId", "foreign"}, {"flatten", true}});
        EXPECT_THAT(refusal(), HasSubstr("no such target")) << method;
    }
    for (const char* method : {"Target.getTargetInfo", "Browser.getWindowForTarget"}) {
        command(method, {{"targetId", "foreign"}}, "s1");
        EXPECT_THAT(refusal(), HasSubstr("no such target")) << method;
    }
    command("Target.attachToTarget", {{"flatten", true}});
    EXPECT_THAT(refusal(), HasSubstr("no such target"));
}

TEST_F(PlaywrightProxy, RefusesSessionsThatAreNotItsOwn) {
    connect();
    command("Runtime.evaluate", {{"expression", "document.cookie"}}, "somebody-elses");
    EXPECT_THAT(refusal(), HasSubstr("Session with given id not found"));
    command("Runtime.evaluate", {{"expression", "1"}}, "line");
    EXPECT_THAT(refusal(), HasSubstr("Session with given id not found"))
        << "the line itself is no session of the helper's";
    command("Target.detachFromTarget", {{"sessionId", "somebody-elses"}});
    EXPECT_THAT(refusal(), HasSubstr("no such session"));
}

TEST_F(PlaywrightProxy, RefusesWhatReachesBeyondTheSession) {
    connect();
    for (const char* method : {"Target.createBrowserContext",
                               "Target.disposeBrowserContext",
                               "Target.getBrowserContexts",
                               "Target.setDiscoverTargets",
                               "Target.sendMessageToTarget",
                               "Target.exposeDevToolsProtocol",
                               "Target.autoAttachRelated",
                               "Target.setRemoteLocations",
                               "SystemInfo.getProcessInfo",
                               "SystemInfo.getInfo",
                               "Browser.crash",
                               "Browser.crashGpuProcess",
                               "Browser.getBrowserCommandLine",
                               "Browser.getHistograms",
                               "Browser.executeBrowserCommand",
                               "Tracing.start",
                               "Memory.simulatePressureNotification",
                               "Extensions.loadUnpacked",
                               "Tethering.bind",
                               "IO.read",
                               "Nonsense",
                               ""}) {
        command(method, {{"targetId", "own"}});
        EXPECT_THAT(refusal(), HasSubstr("not available")) << method;
        if (std::string_view(method) == "IO.read") continue;  // of a page's own streams
        command(method, {{"targetId", "own"}}, "s1");
        EXPECT_THAT(refusal(), HasSubstr("not available")) << method << " on a page";
    }
    command("Target.setAutoAttach", {{"autoAttach", true}, {"flatten", false}}, "s1");
    EXPECT_THAT(refusal(), HasSubstr("flat"));
    for (const char* method : {"Browser.getWindowBounds", "Browser.setWindowBounds"}) {
        command(method, {{"windowId", 7}}, "s1");
        EXPECT_THAT(refusal(), HasSubstr("no such window")) << method;
    }
}

TEST_F(PlaywrightProxy, AnswersWhatIsTheServersOwnBusiness) {
    connect();
    for (const char* method : {"Browser.close", "Browser.setDownloadBehavior"}) {
        command(method);
        EXPECT_THAT(sent, IsEmpty()) << method;
        ASSERT_EQ(answers.size(), 1u);
        EXPECT_TRUE(answers[0].contains("result")) << method;
    }
}

TEST_F(PlaywrightProxy, BindsCommandsToTheContextOfTheSession) {
    connect();
    for (const char* method :
         {"Storage.getCookies", "Storage.setCookies", "Storage.clearCookies", "Browser.grantPermissions"}) {
        command(method, {{"browserContextId", "somebody-elses"}});
        ASSERT_EQ(sent.size(), 1u) << method;
        EXPECT_EQ(text_of(sent[0].at("params").as_object(), "browserContextId"), "mine") << method;
    }
    command("Storage.getCookies", {{"browserContextId", "somebody-elses"}}, "s1");
    EXPECT_FALSE(sent.back().contains("params")) << "a page's session has its own context";
    command("Target.createTarget", {{"url", "about:blank"}, {"browserContextId", "somebody-elses"}});
    EXPECT_EQ(text_of(sent.back().at("params").as_object(), "browserContextId"), "mine");
}

TEST_F(PlaywrightProxy, LetsAWindowBeMovedThatItsPageIsIn) {
    connect();
    command("Browser.getWindowForTarget", {}, "s1");
    answer({{"windowId", 7}});

    command("Browser.setWindowBounds", {{"windowId", 7}}, "s1");

    EXPECT_THAT(methods_sent(), ElementsAre("s1 Browser.setWindowBounds"));
}

TEST_F(PlaywrightProxy, ListsOnlyTheTargetsOfTheSession) {
    connect();
    command("Target.getTargets");
    answer({{"targetInfos", json::array{json::object{{"targetId", "foreign"}},
                                        json::object{{"targetId", "own"}}, json::object{}}}});

    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(json::serialize(answers[0].at("result")), R"({"targetInfos":[{"targetId":"own"}]})");
}

TEST_F(PlaywrightProxy, CarriesCommandsAnswersAndEventsOfAPage) {
    connect();
    command("Runtime.evaluate", {{"expression", "1"}}, "s1");
    EXPECT_THAT(methods_sent(), ElementsAre("s1 Runtime.evaluate"));
    event("s1", "Page.loadEventFired", {{"timestamp", 1}});
    answer({{"result", 1}});

    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(json::serialize(answers[0]),
              R"({"method":"Page.loadEventFired","params":{"timestamp":1},"sessionId":"s1"})");
    EXPECT_EQ(answers[1].at("id"), last);
    EXPECT_EQ(text_of(answers[1], "sessionId"), "s1");

    command("Page.navigate", {}, "s1");
    receive(json::serialize(json::object{{"id", sent.back().at("id")},
                                         {"error", json::object{{"code", -32000}, {"message", "No"}}}}));
    EXPECT_EQ(json::serialize(answers.back().at("error")), R"({"code":-32000,"message":"No"})")
        << "as the browser said it";
}

TEST_F(PlaywrightProxy, LetsFramesAndWorkersOfAPageBeReached) {
    connect();
    json::object frame{{"sessionId", "s2"},
                       {"targetInfo", json::object{{"targetId", "frame"}, {"type", "iframe"}}}};
    event("s1", "Target.attachedToTarget", frame);
    ASSERT_EQ(answers.size(), 1u);

    command("Page.enable", {}, "s2");
    EXPECT_THAT(methods_sent(), ElementsAre("s2 Page.enable"));
    command("Target.attachToTarget", {{"targetId", "frame"}, {"flatten", true}});
    EXPECT_THAT(methods_sent(), ElementsAre("line Target.attachToTarget"));

    event("s1", "Target.detachedFromTarget", {{"sessionId", "s2"}});
    command("Page.enable", {}, "s2");
    EXPECT_THAT(refusal(), HasSubstr("Session with given id not found"));
}

TEST_F(PlaywrightProxy, GivesBrowserSessionsNoMoreThanTheFirstOne) {
    connect();
    command("Target.attachToBrowserTarget");
    std::string session = text_of(answers.back().at("result").as_object(), "sessionId");
    EXPECT_THAT(sent, IsEmpty());

    command("Target.attachToTarget", {{"targetId", "foreign"}, {"flatten", true}}, session);
    EXPECT_THAT(refusal(), HasSubstr("no such target"));
    command("Target.attachToTarget", {{"targetId", "own"}, {"flatten", true}}, session);
    attach("own", "s3");

    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(text_of(answers[0], "sessionId"), session) << "told where it was asked for";
    EXPECT_EQ(text_of(answers[1].at("result").as_object(), "sessionId"), "s3");
}

TEST_F(PlaywrightProxy, TellsOfANewPageBeforeItRunsAndBeforeTheCommandThatMadeItIsAnswered) {
    connect();
    command("Target.createTarget", {{"url", "about:blank"}});
    json::object created = sent.back();
    auto page = connection->session("ours");

    EXPECT_TRUE(proxy->take_new_page(page, {{"targetId", "new"}}));
    receive(json::serialize(
        json::object{{"id", created.at("id")}, {"result", json::object{{"targetId", "new"}}}}));
    EXPECT_THAT(answers, IsEmpty());
    attach("new", "s4");

    ASSERT_EQ(answers.size(), 2u);
    EXPECT_TRUE(answers[0].at("params").at("waitingForDebugger").as_bool());
    EXPECT_EQ(answers[1].at("id"), last);
    command("Runtime.runIfWaitingForDebugger", {}, "s4");
    EXPECT_THAT(methods_sent(),
                ElementsAre("s4 Runtime.runIfWaitingForDebugger", "ours Runtime.runIfWaitingForDebugger"));
}

TEST_F(PlaywrightProxy, TakesOnlyWhatItsOwnPagesOpenWhereOthersHaveSomeToo) {
    proxy = nullptr;
    proxy = make_proxy("shared", Scope::OwnPages);
    connect();

    EXPECT_FALSE(proxy->take_new_page(connection->session("theirs"), {{"targetId", "alone"}}));
    EXPECT_FALSE(proxy->take_new_page(connection->session("theirs"),
                                      {{"targetId", "their-popup"}, {"openerId", "theirs"}}));
    command("Target.closeTarget", {{"targetId", "their-popup"}});
    EXPECT_THAT(refusal(), HasSubstr("no such target"));
    EXPECT_TRUE(
        proxy->take_new_page(connection->session("ours"), {{"targetId", "popup"}, {"openerId", "own"}}));

    command("Target.createTarget", {{"url", "about:blank"}});
    EXPECT_THAT(refusal(), HasSubstr("open tabs with browser_tabs"));
}

TEST_F(PlaywrightProxy, ForgetsAPageThatIsAnotherSessionsNow) {
    connect();
    event("s1", "Target.attachedToTarget",
          {{"sessionId", "s2"}, {"targetInfo", json::object{{"targetId", "frame"}, {"type", "iframe"}}}});
    answers.clear();

    proxy->hide_page("own");

    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(text_of(answers[0], "method"), "Target.detachedFromTarget");
    EXPECT_THAT(methods_sent(), ElementsAre("line Target.detachFromTarget"));
    for (const char* session : {"s1", "s2"}) {
        command("Runtime.evaluate", {{"expression", "1"}}, session);
        EXPECT_THAT(refusal(), HasSubstr("Session with given id not found")) << session;
    }
    for (const char* target : {"own", "frame"}) {
        command("Target.attachToTarget", {{"targetId", target}, {"flatten", true}});
        EXPECT_THAT(refusal(), HasSubstr("no such target")) << target;
    }
}

TEST_F(PlaywrightProxy, DoesNotHoldPagesForAHelperThatIsNotThere) {
    EXPECT_FALSE(proxy->take_new_page(connection->session("ours"), {{"targetId", "new"}}));
}

TEST_F(PlaywrightProxy, LetsEverythingGoWhenItEnds) {
    connect();
    EXPECT_TRUE(proxy->take_new_page(connection->session("ours"), {{"targetId", "new"}}));
    sent.clear();

    proxy = nullptr;

    EXPECT_THAT(methods_sent(),
                ElementsAre("ours Runtime.runIfWaitingForDebugger", " Target.detachFromTarget"));
}

TEST_F(PlaywrightProxy, ForgetsAPageThatHasClosed) {
    connect();
    event("line", "Target.detachedFromTarget", {{"sessionId", "s1"}});
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(text_of(answers[0].at("params").as_object(), "targetId"), "own");

    command("Target.closeTarget", {{"targetId", "own"}});
    EXPECT_THAT(refusal(), HasSubstr("no such target"));
}

TEST_F(PlaywrightProxy, SaysWhenTheBrowserIsGone) {
    connect();
    connection->close();

    EXPECT_TRUE(lost);
}

TEST(PlaywrightRules, NameEverythingThatIsAllowed) {
    EXPECT_EQ(rule_for("Runtime.evaluate", CommandScope::Target), Rule::Forward);
    EXPECT_EQ(rule_for("Runtime.evaluate", CommandScope::Browser), Rule::Refuse);
    EXPECT_EQ(rule_for("Target.somethingNew", CommandScope::Target), Rule::Refuse);
    EXPECT_EQ(rule_for("NewDomain.command", CommandScope::Target), Rule::Refuse);
    EXPECT_EQ(rule_for("Page", CommandScope::Target), Rule::Refuse);
}

TEST_F(PlaywrightProxy, TellsOfTheDownloadsOfItsPages) {
    connect();
    fakes::TemporaryDirectory directory;
    engine::Download download{
        .number = 1, .url = "http://site/file", .suggested_name = "a.txt", .file = directory.path() / "guid"};
    ASSERT_TRUE(write_file(download.file, "content"));
    proxy->take_download("own", download, directory.path() / "artifacts");
    download.state = engine::Download::State::Finished;
    proxy->take_download("own", download, directory.path() / "artifacts");

    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(json::serialize(answers[0]),
              R"({"method":"Browser.downloadWillBegin","params":{"frameId":"own","guid":"guid",)"
              R"("url":"http://site/file","suggestedFilename":"a.txt"}})");
    EXPECT_EQ(json::serialize(answers[1]),
              R"({"method":"Browser.downloadProgress","params":{"guid":"guid","state":"completed"}})");
    // The session may take the file away; the copy goes with the helper.
    std::filesystem::remove(download.file);
    EXPECT_EQ(*read_file(directory.path() / "artifacts" / "guid"), "content");
    proxy.reset();
    EXPECT_FALSE(std::filesystem::exists(directory.path() / "artifacts" / "guid"));
}

TEST_F(PlaywrightProxy, KeepsTheDownloadsOfOthersToItself) {
    engine::Download download{.number = 1, .url = "http://site/file", .file = "/nowhere/guid"};
    proxy->take_download("own", download, "/nowhere");
    EXPECT_THAT(answers, IsEmpty()) << "nobody is there to be told";
    connect();
    proxy->take_download("foreign", download, "/nowhere");
    EXPECT_THAT(answers, IsEmpty());
    // Nor their ends.
    download.state = engine::Download::State::Finished;
    proxy->take_download("foreign", download, "/nowhere");
    proxy->take_download("own", download, "/nowhere");
    EXPECT_THAT(answers, IsEmpty());
}

TEST_F(PlaywrightProxy, SaysThatADownloadFailed) {
    connect();
    engine::Download download{.number = 1, .url = "http://site/file", .file = "/nowhere/guid"};
    proxy->take_download("own", download, "/nowhere");
    download.state = engine::Download::State::Failed;
    answers.clear();
    proxy->take_download("own", download, "/nowhere");
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(text_of(answers[0].at("params").as_object(), "state"), "canceled");
}

}  // namespace
