// Whatever starts below a page, at any depth, is set up or let go: nothing waits for a debugger for ever.
#include <algorithm>
#include <map>
#include <set>

#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/browser.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "tests/fakes/wait.h"

using cdp::text_of;
using testing::ElementsAre;
using testing::SizeIs;
using namespace std::chrono_literals;

namespace {

// A browser made up by the test: answers every command, and says what the test wants.
class FakePeer {
public:
    class Transport final : public cdp::Transport {
    public:
        explicit Transport(FakePeer& peer) : peer_(peer) {}
        void start(std::function<void(std::string_view)> on_message,
                   std::function<void(std::string)>) override {
            peer_.receive_ = std::move(on_message);
        }
        void send(std::string message) override { peer_.take(json::parse(message)->as_object()); }
        void close() override {}

    private:
        FakePeer& peer_;
    };

    explicit FakePeer(Loop& loop) : loop_(loop) {}

    void event(const std::string& session, std::string_view method, json::object params) {
        json::object message{{"method", method}, {"params", std::move(params)}};
        if (!session.empty()) message["sessionId"] = session;
        receive_(json::serialize(message));
    }
    // A target starts below another one, paused, and its session is named after it.
    void attach(const std::string& parent, const std::string& target, const std::string& type,
                const std::string& opener = "") {
        json::object info{{"targetId", target}, {"type", type}, {"url", ""}, {"browserContextId", "context"}};
        if (!opener.empty()) info["openerId"] = opener;
        event(parent, "Target.attachedToTarget",
              {{"sessionId", "session of " + target}, {"targetInfo", info}, {"waitingForDebugger", true}});
    }
    void detach(const std::string& parent, const std::string& target) {
        event(parent, "Target.detachedFromTarget",
              {{"sessionId", "session of " + target}, {"targetId", target}});
    }

    std::vector<std::string> sent;   // "session method"
    std::vector<std::string> ended;  // sessions that we left, and who was asked for that
    std::set<std::string> silent;    // sessions that do not answer
    std::set<std::string> late;      // methods that wait for answer_late()

    void answer_late(const std::string& method, json::object result) {
        receive_(json::serialize(json::object{{"id", waiting_.at(method)}, {"result", std::move(result)}}));
    }

private:
    void take(const json::object& message) {
        std::string session = text_of(message, "sessionId"), method = text_of(message, "method");
        sent.push_back(session + " " + method);
        const json::object* params = json::find_object(message, "params");
        if (method == "Target.detachFromTarget")
            ended.push_back(session + " left " + text_of(*params, "sessionId"));
        if (silent.contains(session)) return;
        if (late.contains(method)) {
            waiting_[method] = message.at("id");
            return;
        }
        json::object result;
        if (method == "Target.createBrowserContext") result["browserContextId"] = "context";
        if (method == "Target.createTarget") result["targetId"] = "page";
        if (method == "Page.getFrameTree") {
            std::string frame = session.substr(std::string_view("session of ").size());
            result["frameTree"] = json::object{
                {"frame", json::object{{"id", frame}, {"loaderId", "1"}, {"url", "about:blank"}}}};
        }
        json::object answer{{"id", message.at("id")}, {"result", std::move(result)}};
        boost::asio::post(loop_, [this, text = json::serialize(answer)] { receive_(text); });
        // Attaching comes with an event.
        if (method == "Target.attachToTarget")
            boost::asio::post(loop_,
                              [this, target = text_of(*params, "targetId")] { attach("", target, "page"); });
    }

    Loop& loop_;
    std::function<void(std::string_view)> receive_;
    std::map<std::string, json::value> waiting_;  // the id of the command, by method
};

class CdpAutoAttach : public testing::Test {
protected:
    void SetUp() override {
        auto connection = cdp::Connection::create(loop, std::make_unique<FakePeer::Transport>(peer), log);
        browser = *run(cdp::Browser::attach(loop, {.connection = connection}, {}, log));
        context = *run(browser->new_context({.viewport = {}}, soon()));
        page = *run(context->new_page(soon()));
    }
    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    static Deadline soon() { return Deadline::in(20s); }
    void settle() {
        loop.restart();
        loop.poll();
    }
    bool runs(const std::string& target) {
        settle();
        return std::ranges::find(peer.sent, "session of " + target + " Runtime.runIfWaitingForDebugger") !=
               peer.sent.end();
    }

    Loop loop;
    Log log = Log::silent();
    FakePeer peer{loop};
    std::shared_ptr<cdp::Browser> browser;
    std::shared_ptr<engine::Context> context;
    std::shared_ptr<engine::Page> page;
};

}  // namespace

TEST_F(CdpAutoAttach, ResumesWhateverStartsAtAnyDepth) {
    const std::vector<std::string> kinds = {"iframe",  "worker", "service_worker", "shared_worker",
                                            "worklet", "page",   "webview",        "something new"};
    for (const std::string outer : {"iframe", "worker"}) {
        for (const std::string inner : {"iframe", "worker"}) {
            std::string name = outer + "/" + inner;
            peer.attach("session of page", name + "1", outer);
            EXPECT_TRUE(runs(name + "1"));
            peer.attach("session of " + name + "1", name + "2", inner);
            EXPECT_TRUE(runs(name + "2"));
            for (const std::string& kind : kinds) {
                peer.attach("session of " + name + "2", name + kind, kind);
                EXPECT_TRUE(runs(name + kind)) << kind << " below " << name;
            }
        }
    }
}

TEST_F(CdpAutoAttach, AnAbandonedTabOfOurOwnIsNoPageOfTheContext) {
    auto state = json::parse(R"({"origins": [{"origin": "http://a", "localStorage": []}]})");
    peer.late.insert("Target.createTarget");
    Running restoring =
        start(context->set_storage_state(*state, Deadline::never()), [](const Result<void>&) {});
    settle();
    restoring.cancel();

    peer.attach("", "work", "page");
    peer.answer_late("Target.createTarget", {{"targetId", "work"}});
    settle();

    EXPECT_THAT(context->pages(), ElementsAre(page));
    EXPECT_THAT(peer.sent, testing::Contains(" Target.closeTarget"));
    // Targets are not held back any more.
    peer.attach("", "popup", "page", "page");
    EXPECT_TRUE(runs("popup"));
}

TEST_F(CdpAutoAttach, LeavesWhatItDoesNotFollowOnceThatRuns) {
    peer.attach("session of page", "frame", "iframe");
    peer.silent.insert("session of late");
    peer.attach("session of frame", "late", "service_worker");
    peer.attach("session of frame", "worker", "service_worker");
    peer.attach("session of page", "new", "something new");
    settle();
    EXPECT_THAT(peer.ended, ElementsAre("session of frame left session of worker",
                                        "session of page left session of new"));
}

TEST_F(CdpAutoAttach, AttachesToNothingWithoutAHandler) {
    peer.attach("session of page", "frame", "iframe");
    peer.attach("session of frame", "inner", "iframe");
    peer.attach("session of inner", "worker", "worker");
    settle();
    std::vector<std::string> watched;
    for (const std::string& each : peer.sent) {
        if (each.ends_with("Target.setAutoAttach")) watched.push_back(each);
    }
    EXPECT_THAT(watched, SizeIs(4));
}

TEST_F(CdpAutoAttach, ForgetsAFrameThatGoesWithItsProcess) {
    peer.event("session of page", "Page.frameAttached", {{"frameId", "frame"}, {"parentFrameId", "page"}});
    peer.attach("session of page", "frame", "iframe");
    peer.event("session of page", "Page.frameDetached", {{"frameId", "frame"}, {"reason", "swap"}});
    settle();
    auto* own = dynamic_cast<cdp::Page*>(page.get());
    EXPECT_TRUE(own->has_frame("frame"));
    peer.detach("session of page", "frame");
    settle();
    EXPECT_FALSE(own->has_frame("frame"));
}

TEST_F(CdpAutoAttach, KeepsAFrameThatMovesIntoItsParentsProcess) {
    peer.event("session of page", "Page.frameAttached", {{"frameId", "frame"}, {"parentFrameId", "page"}});
    peer.attach("session of page", "frame", "iframe");
    settle();
    peer.detach("session of page", "frame");
    peer.event("session of page", "Page.frameAttached", {{"frameId", "frame"}, {"parentFrameId", "page"}});
    settle();
    EXPECT_TRUE(dynamic_cast<cdp::Page*>(page.get())->has_frame("frame"));
}
