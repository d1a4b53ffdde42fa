// Going somewhere.
#include "engine/cdp/awaited.h"
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

constexpr auto kLoadLimit = 5s;
// Without requests for so long, the network counts as idle.
constexpr auto kIdle = 500ms;
// So long a page says nothing whose script is busy.
constexpr auto kBusy = 250ms;

}  // namespace

// While one document takes another's place, the browser has nobody to ask for a moment.
Task<json::value> Page::send_when_active(std::string method, json::object params, Deadline deadline,
                                         std::string what) {
    for (;;) {
        auto answer = co_await as_result(bounded(session_->send(method, params), deadline, what));
        bool between =
            !answer && answer.error().message.find("Not attached to an active page") != std::string::npos;
        if (!between || deadline.has_passed()) co_return std::move(answer);
        co_await sleep_for(loop_, 5ms);
    }
}

Task<> Page::wait_for_lifecycle(std::string step, std::string loader) {
    // Gone over to another document counts: this one will never get there.
    co_await conditions_.wait_until([this, step = std::move(step), loader = std::move(loader)] {
        Frame* main = frames_.main();
        return !main || (!loader.empty() && main->loader != loader) || main->lifecycle.contains(step);
    });
}

Task<std::string> Page::open_document(std::string url, Deadline deadline) {
    // A script that was busy at the end of the last action would keep the page from leaving. It ends here
    // anyway.
    if (left_silent_ && !is_held_up() && co_await is_silent(session_, kBusy) && !is_held_up())
        session_->post("Runtime.terminateExecution");
    network_.clear();
    downloads_.clear();
    std::size_t downloads_before = downloads_seen_;
    json::value answer = co_await send_when_active("Page.navigate", {{"url", url}, {"frameId", id_}},
                                                   deadline, "Navigating to " + url);
    const json::object& result = answer.as_object();
    std::string failure = text_of(result, "errorText");
    if (flag_of(result, "isDownload") || failure == "net::ERR_ABORTED") {
        // The browser tells of the download on another line, so it may come a little later.
        auto begun = co_await as_result(bounded(
            conditions_.wait_until([this, downloads_before] { return downloads_seen_ > downloads_before; }),
            Deadline::in(flag_of(result, "isDownload") ? 3s : 300ms).earlier(deadline), "The download"));
        if (begun) co_return std::string();
    }
    // The browser gives the navigation up with the process of the document before.
    if (crashed_) {
        std::string message =
            failure.empty() ? "Page crashed" : failure + " at " + url + ": the page crashed";
        co_await Error{.code = ErrorCode::BrowserCrashed, .message = message};
    }
    if (!failure.empty()) {
        co_await Error{.code = ErrorCode::NavigationFailed, .message = failure + " at " + url};
    }
    std::string loader = text_of(result, "loaderId");
    if (loader.empty()) co_return loader;  // within the document
    co_await bounded(
        conditions_.wait_until([this, loader] { return frames_.main() && frames_.main()->loader == loader; }),
        deadline, "Navigating to " + url);
    co_await bounded(wait_for_lifecycle("DOMContentLoaded", loader), deadline, "Navigating to " + url);
    co_return loader;
}

Task<> Page::navigate(std::string url, Deadline deadline) {
    auto self = shared_from_this();
    std::string loader = co_await stopped_when_late(open_document(std::move(url), deadline));
    if (loader.empty()) co_return;
    (void)co_await as_result(
        bounded(wait_for_lifecycle("load", loader), Deadline::in(kLoadLimit).earlier(deadline), "Loading"));
}

Task<> Page::navigate_until(std::string url, engine::LoadState state, Deadline deadline) {
    auto self = shared_from_this();
    std::string loader = co_await stopped_when_late(open_document(std::move(url), deadline));
    if (!loader.empty()) co_await wait_for_load(state, deadline);
}

// A document that came out of the back/forward cache goes through none of the steps again: it is asked
// itself.
Task<> Page::wait_for_load(engine::LoadState state, Deadline deadline) {
    auto self = shared_from_this();
    auto ready =
        co_await as_result(bounded(frames_.call(id_, "() => document.readyState", {}, Scripts::Snapshot),
                                   deadline, "Waiting for the page to load"));
    std::string_view reached = ready && ready->is_string() ? std::string_view(ready->get_string()) : "";
    bool parsed = reached == "complete" || reached == "interactive";
    if (state == engine::LoadState::DomContentLoaded) {
        if (!parsed)
            co_await bounded(wait_for_lifecycle("DOMContentLoaded", ""), deadline,
                             "Waiting for the page to be parsed");
        co_return;
    }
    if (reached != "complete")
        co_await bounded(wait_for_lifecycle("load", ""), deadline, "Waiting for the page to load");
    if (state == engine::LoadState::NetworkIdle)
        co_await bounded(network_idle(), deadline, "Waiting for the network to be idle");
}

Task<> Page::network_idle() {
    if (Frame* main = frames_.main();
        main && main->lifecycle.contains("networkIdle") && network_.under_way().empty())
        co_return;
    std::size_t seen = network_.entries().size();
    for (Deadline quiet = Deadline::in(kIdle); !quiet.has_passed();) {
        co_await sleep_for(loop_, kIdle / 10);
        if (network_.under_way().empty() && network_.entries().size() == seen) continue;
        seen = network_.entries().size();
        quiet = Deadline::in(kIdle);
    }
}

Task<bool> Page::go(int offset, Deadline deadline) {
    auto self = shared_from_this();
    json::value history =
        co_await send_when_active("Page.getNavigationHistory", {}, deadline, "Reading the history");
    std::int64_t index = json::find_integer(history.as_object(), "currentIndex").value_or(0) + offset;
    const json::array& entries = history.at("entries").as_array();
    if (index < 0 || index >= static_cast<std::int64_t>(entries.size())) co_return false;
    std::size_t before = navigations_;
    const json::value& entry = entries[static_cast<std::size_t>(index)].at("id");
    (void)co_await send_when_active("Page.navigateToHistoryEntry", {{"entryId", entry}}, deadline,
                                    "Going through the history");
    co_await bounded(conditions_.wait_until([this, before] { return navigations_ > before; }), deadline,
                     "Going through the history");
    co_return true;
}

Task<bool> Page::go_back(Deadline deadline) { return stopped_when_late(go(-1, deadline)); }
Task<bool> Page::go_forward(Deadline deadline) { return stopped_when_late(go(1, deadline)); }

Task<> Page::reload(Cache cache, Deadline deadline) {
    return stopped_when_late(reload_document(cache, deadline));
}

Task<> Page::reload_document(Cache cache, Deadline deadline) {
    auto self = shared_from_this();
    std::size_t before = navigations_;
    (void)co_await send_when_active("Page.reload", {{"ignoreCache", cache == Cache::Ignore}}, deadline,
                                    "Reloading");
    co_await bounded(conditions_.wait_until([this, before] { return navigations_ > before; }), deadline,
                     "Reloading");
    co_await bounded(wait_for_lifecycle("load", ""), deadline, "Reloading");
}

Task<> Page::bring_to_front(Deadline deadline) {
    // Somebody looks at that browser's window. Every page of ours believes to be in front anyway.
    if (auto context = context_.lock(); context && !context->browser().is_ours()) co_return;
    (void)co_await bounded(session_->send("Page.bringToFront"), deadline, "Bringing the tab to the front");
}

Task<> Page::close(Deadline deadline) {
    auto self = shared_from_this();
    auto context = context_.lock();
    if (closed_ || !context) co_return;
    (void)co_await bounded(
        context->browser().connection()->browser()->send("Target.closeTarget", {{"targetId", id_}}), deadline,
        "Closing the tab");
    (void)co_await as_result(
        bounded(conditions_.wait_until([this] { return closed_; }), deadline, "Closing the tab"));
}

}  // namespace cdp
