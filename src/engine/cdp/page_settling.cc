// Waits until an action's effects have finished; hooks/activity.js and settle.js report those of scripts.
#include <algorithm>

#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "page/script.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto kNavigationLimit = 10s;
constexpr auto kLoadLimit = 5s;  // since the action began
constexpr auto kRequestLimit = 5s;
// For requests that a new document makes after it has loaded: some of them are long polls.
constexpr auto kNewDocumentRequestLimit = 1s;
// Between the announcement of a navigation and its start.
constexpr auto kLeavingLimit = 1s;
// A page may redirect as soon as it has loaded, and the next one again. Some never stop.
constexpr int kMaxDocuments = 5;
// A URL that was answered this often during one action counts as polling.
constexpr int kMaxRepeats = 3;
constexpr int kMaxSimilarRepeats = 10;  // with any query
constexpr std::size_t kMaxUnanswered = 100;
constexpr auto kWorkerStep = 20ms;
// Extra time for a page to say whether it rests, since it may be busy.
constexpr auto kAnswerGrace = 250ms;

std::string without_query(const std::string& url) { return url.substr(0, url.find('?')) + "?"; }

// A script that asks hooks/activity.js in contexts without our world.
std::string question(const std::string& channel, std::string_view text) {
    return "(() => { let answer; const take = event => { answer = event.lastEventId; };"
           "performance.addEventListener('" +
           channel + ".', take); performance.dispatchEvent(new MessageEvent('" + channel +
           "', { lastEventId: '" + std::string(text) + "' })); performance.removeEventListener('" + channel +
           ".', take); return answer; })()";
}

}  // namespace

void Page::install_activity_hook(Session& session, SessionKind kind) {
    constexpr std::string_view kPlace = "TROUPE_CHANNEL";
    std::string hook(page::activity_script());
    hook.replace(hook.find(kPlace), kPlace.size(), channel_);
    if (kind == SessionKind::Worker) {
        session.post("Runtime.evaluate", {{"expression", std::move(hook)}, {"silent", true}});
    } else {
        session.post("Page.addScriptToEvaluateOnNewDocument",
                     {{"source", std::move(hook)}, {"runImmediately", true}});
    }
}

void Page::for_acts(const std::function<void(Act&)>& visit) {
    for (const auto& weak : acts_) {
        if (auto act = weak.lock()) visit(*act);
    }
    conditions_.check();
}

void Page::note_request(Act& act, const RequestUnderWay& request) {
    if (request.is_navigation && request.frame == id_) act.next = request.id;
    // A poll is not a new effect.
    if (act.answered[request.url] >= kMaxRepeats ||
        act.answered[without_query(request.url)] >= kMaxSimilarRepeats)
        return;
    ++act.seen;
    (unanswered_.contains(without_query(request.url)) ? act.slow : act.requests).insert(request.id);
}

void Page::watch_activity() {
    network_.observe({
        .started =
            [this](const RequestUnderWay& request) {
                if (request.is_navigation && request.frame == id_) {
                    navigation_begun_ = Deadline::Clock::now();
                    limiting_navigation_ = start(limit_navigation(), [](Result<void>) {});
                }
                for_acts([&](Act& act) { note_request(act, request); });
                notify(engine::DocumentEvent::Requested);
            },
        .responded =
            [this](const RequestUnderWay& request) {
                static const std::set<std::string> kWhole{"document", "stylesheet", "script", "xhr", "fetch"};
                if (kWhole.contains(request.resource_type)) return;
                // The rest of an image or a font may take long; that of a video or an event stream never
                // ends.
                bool ends = request.resource_type == "image" || request.resource_type == "font";
                for_acts([&](Act& act) {
                    if (act.requests.erase(request.id) > 0 && ends) act.slow.insert(request.id);
                });
            },
        .finished =
            [this](const RequestUnderWay& request) {
                notify(engine::DocumentEvent::Requested);
                Frame* main = frames_.main();
                bool is_shown = main && main->loader == request.id;
                for_acts([&](Act& act) {
                    act.requests.erase(request.id);
                    act.slow.erase(request.id);
                    ++act.answered[request.url];
                    ++act.answered[without_query(request.url)];
                    // A download or an empty answer: the page stays.
                    if (act.next == request.id && !is_shown) act.next.clear();
                });
            },
        .entry_ended = [this](const engine::RequestEntry& request) { notify_ended(request); },
    });
    watch_navigations();
}

void Page::watch_navigations() {
    auto on = [&](const char* event, auto change) {
        subscriptions_.push_back(session_->on(event, [this, change](const json::object& params) {
            if (text_of(params, "frameId") == id_) for_acts([&](Act& act) { change(act, params); });
        }));
    };
    on("Page.frameScheduledNavigation",
       [](Act& act, const json::object& params) { act.leaves = number_of(params, "delay") <= 0.1; });
    on("Page.frameRequestedNavigation", [](Act& act, const json::object& params) {
        act.leaves = text_of(params, "disposition") == "currentTab";
    });
    on("Page.frameClearedScheduledNavigation", [](Act& act, const json::object&) { act.leaves = false; });
    on("Page.frameStartedNavigating", [](Act& act, const json::object& params) {
        act.leaves = false;
        if (text_of(params, "navigationType") == "sameDocument") return;
        ++act.seen;
        act.next = text_of(params, "loaderId");
    });
}

void Page::watch_sockets(Attached& attached) {
    auto on = [&](const char* event, bool waits) {
        attached.subscriptions.push_back(
            attached.session->on(event, [this, waits](const json::object& params) {
                std::string socket = text_of(params, "requestId");
                for_acts([&](Act& act) {
                    ++act.seen;
                    if (waits)
                        act.sockets.insert(socket);
                    else
                        act.sockets.erase(socket);
                });
            }));
    };
    on("Network.webSocketCreated", true);
    on("Network.webSocketFrameSent", true);
    on("Network.webSocketFrameReceived", false);
    on("Network.webSocketFrameError", false);
    on("Network.webSocketClosed", false);
}

std::shared_ptr<Page::Act> Page::begin_act() {
    auto act = std::make_shared<Act>();
    std::erase_if(acts_, [](const std::weak_ptr<Act>& weak) { return weak.expired(); });
    acts_.push_back(act);
    ++acts_begun_;
    Frame* main = frames_.main();
    if (main) act->document = main->loader;
    if (main && main->world) {
        session_->post("Runtime.evaluate", {{"expression", "troupe.begin('" + channel_ + "')"},
                                            {"uniqueContextId", main->world->context.unique},
                                            {"silent", true}});
    }
    std::erase_if(sessions_, [](const Attached& each) { return each.session->is_closed(); });
    for (const auto& [session, kind, subscriptions] : sessions_) {
        if (kind != SessionKind::Worker) continue;
        std::string id = session->id();
        json::object params{{"expression", question(channel_, R"(["begin"])")}, {"silent", true}};
        // A worker that has not answered by the end of the action was busy before.
        act->busy[id] = start(session->send("Runtime.evaluate", std::move(params)),
                              [weak = std::weak_ptr<Act>(act), id](Result<json::value>) {
                                  if (auto act = weak.lock()) act->free.insert(id);
                              });
    }
    return act;
}

bool Page::is_fresh(const Act& act) {
    Frame* main = frames_.main();
    return main && main->loader != act.document;
}

bool Page::is_leaving(const Act& act) {
    Frame* main = frames_.main();
    bool has_left = main && main->loader != act.settling;
    return act.leaves || has_left || (!act.next.empty() && (!main || main->loader != act.next));
}

Task<> Page::unless_leaving(std::shared_ptr<Act> act, Task<> task) {
    Completion<Result<void>> first(loop_);
    auto done = [first](Result<void> result) { first.set(std::move(result)); };
    Running leaving = start(conditions_.wait_until([this, act] { return is_leaving(*act); }), done);
    Running running = start(std::move(task), done);
    Result<void> result = co_await first;
    co_await std::move(result);
}

// Waits up to `span` until the page's scripts have finished what they began.
Task<> Page::rest(std::shared_ptr<Act> act, milliseconds span) {
    auto since = std::chrono::duration_cast<milliseconds>(Deadline::Clock::now() - act->begun) + 50ms;
    json::object options{
        {"channel", channel_}, {"span", span.count()}, {"since", since.count()}, {"frames", !is_fresh(*act)}};
    // A page that hangs or has crashed does not answer.
    auto rested =
        co_await as_result(bounded(frames_.call(id_, "options => troupe.rest(options)",
                                                {json::value(std::move(options))}, Scripts::Snapshot),
                                   Deadline::in(span + kAnswerGrace), "The page"));
    act->silent = !rested && rested.error().code == ErrorCode::Timeout;
    if (!rested) co_await rested.error();
}

// Waits until the workers that were idle before the action are idle again. Returns false if there was nothing
// to wait for.
Task<bool> Page::workers_rest(std::shared_ptr<Act> act, Deadline window) {
    bool waited = false;
    std::vector<std::shared_ptr<Session>> workers;
    for (const Attached& each : sessions_)
        if (each.kind == SessionKind::Worker) workers.push_back(each.session);
    for (std::size_t i = 0; i < workers.size();) {
        const std::shared_ptr<Session>& session = workers[i];
        bool was_busy = act->busy.contains(session->id()) && !act->free.contains(session->id());
        if (session->is_closed() || was_busy || window.has_passed()) {
            ++i;
            continue;
        }
        std::string text =
            question(channel_, "[\"pending\"," + std::to_string(window.remaining().count()) + "]");
        auto begun = Deadline::Clock::now();
        auto answer = co_await as_result(
            bounded(session->send("Runtime.evaluate", {{"expression", std::move(text)}, {"silent", true}}),
                    window, "The worker"));
        waited = waited || Deadline::Clock::now() - begun > 2 * kWorkerStep;
        // [milliseconds, whether a frame is wanted, …]
        const json::object* result = answer ? json::find_object(answer->as_object(), "result") : nullptr;
        auto found = json::parse(result ? text_of(*result, "value") : "");
        bool works = found && found->is_array() && found->as_array().size() > 1 &&
                     (found->at(0).to_number<double>() > 0 || found->at(1).as_bool());
        if (!works) {
            ++i;
            continue;
        }
        waited = true;
        co_await sleep_until(loop_, Deadline::in(kWorkerStep).earlier(window));
    }
    co_return waited;
}

// Returns false if the page leaves, or a request stays unanswered.
Task<bool> Page::requests_answered(std::shared_ptr<Act> act, Deadline limit) {
    auto waited = co_await as_result(
        bounded(conditions_.wait_until([this, act] { return act->requests.empty() || is_leaving(*act); }),
                limit, "The requests"));
    if (is_leaving(*act)) co_return false;
    // All requests were answered at some moment, but the page may have made new ones because of the answers.
    if (waited) co_return true;
    for (const std::string& id : act->requests) {
        auto request = network_.under_way().find(id);
        if (request != network_.under_way().end() && unanswered_.size() < kMaxUnanswered)
            unanswered_.insert(without_query(request->second.url));
    }
    co_return false;
}

// Waits until the action's effects have finished: for requests some seconds, for everything else `settle`
// after the action and after each of its requests.
Task<> Page::quiet(std::shared_ptr<Act> act, milliseconds settle) {
    Deadline end = Deadline::in(kRequestLimit + settle);
    Deadline window = Deadline::in(settle);
    auto request_limit = [&] { return is_fresh(*act) ? kNewDocumentRequestLimit : kRequestLimit; };
    for (;;) {
        std::size_t seen = act->seen;
        bool waited = co_await workers_rest(act, window);
        (void)co_await as_result(unless_leaving(act, rest(act, window.remaining())));
        if (is_leaving(*act) || end.has_passed()) co_return;
        if (!act->requests.empty()) {
            if (!co_await requests_answered(act, Deadline::in(request_limit()).earlier(end))) co_return;
            window = Deadline::in(settle).earlier(end);
            continue;
        }
        if (window.has_passed()) co_return;
        if (!act->sockets.empty() || !act->slow.empty()) {
            // The answer to a WebSocket request may be any message.
            auto heard = [this, act, seen] {
                return (act->sockets.empty() && act->slow.empty()) || act->seen != seen || is_leaving(*act);
            };
            (void)co_await as_result(bounded(conditions_.wait_until(heard), window, "The WebSocket"));
            continue;
        }
        if (act->seen == seen && !waited && !co_await workers_rest(act, window)) co_return;
    }
}

// Waits until the document that the page navigates to has arrived, unless the navigation is cancelled.
Task<> Page::next_document(std::shared_ptr<Act> act, Deadline deadline) {
    auto begun = [act] { return !act->leaves; };
    (void)co_await as_result(bounded(conditions_.wait_until(begun),
                                     Deadline::in(kLeavingLimit).earlier(deadline), "The navigation"));
    act->leaves = false;
    auto shown = [this, act] {
        Frame* main = frames_.main();
        return !main || act->next.empty() || main->loader == act->next;
    };
    co_await bounded(conditions_.wait_until(shown), deadline, "Loading");
}

Task<> Page::settle(std::shared_ptr<Act> act, milliseconds span) {
    Deadline end = Deadline::in(kNavigationLimit);
    for (int documents = 0; documents < kMaxDocuments; ++documents) {
        if (closed_ || crashed_) co_return;
        Frame* main = frames_.main();
        if (!main) co_return;
        act->settling = main->loader;
        // A document that takes long to load is shown as it is.
        if (is_fresh(*act) && !main->lifecycle.contains("load")) {
            Deadline limit = documents == 0 ? Deadline(act->begun + kLoadLimit) : end;
            auto loaded = co_await as_result(wait_for_load(engine::LoadState::Load, limit));
            if (!loaded && !is_leaving(*act)) co_return;
        }
        (void)co_await as_result(quiet(act, span));
        if (!is_leaving(*act) || end.has_passed()) co_return;
        (void)co_await as_result(next_document(act, end));
    }
}

}  // namespace cdp
