// Navigation and waiting for documents.
#include "engine/cdp/awaited.h"
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/navigation_failure.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

constexpr auto kLoadLimit = 5s;
// The network counts as idle after this long without requests.
constexpr auto kIdle = 500ms;
// How long a page may be silent before its script counts as busy; kLongBusy without earlier signs of one.
constexpr std::chrono::milliseconds kBusy = 250ms, kLongBusy = 1s;
// How long the browser may take to show its own page after a failure.
constexpr auto kErrorPageLimit = 1s;
// How long after the end of a navigation a download may be reported.
constexpr std::chrono::milliseconds kDownloadLimit = 300ms, kAnnouncedLimit = 3s;
constexpr std::string_view kAborted = "net::ERR_ABORTED", kNoContent = "net::ERR_HTTP_RESPONSE_CODE_FAILURE";

}  // namespace

// While one document replaces another, the browser briefly has no process to send commands to.
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
    // Leaving for another document also counts: this one will never reach the step.
    co_await conditions_.wait_until([this, step = std::move(step), loader = std::move(loader)] {
        Frame* main = frames_.main();
        return !main || (!loader.empty() && main->loader != loader) || main->lifecycle.contains(step);
    });
}

// A busy script would keep the page from leaving, and once the browser awaits the next document, no command
// reaches the page that could end it. The navigation ends the script anyway.
Task<> Page::end_busy_script() {
    auto limit = left_silent_ || is_stopping_scripts() ? kBusy : kLongBusy;
    if (!is_held_up() && co_await is_silent(session_, limit) && !is_held_up())
        session_->post("Runtime.terminateExecution");
}

Page::Arrival Page::expect_arrival() const {
    return {navigations_, network_.failed_document().number, downloads_seen_};
}

bool Page::has_ended(const Arrival& arrival) const {
    if (navigations_ > arrival.navigations) return true;
    // A navigation that another one has replaced is no failure.
    return network_.failed_document().number > arrival.failures && !network_.awaits_document();
}

// The verdict on a navigation of the browser's own, as Page.navigate gives it for an address.
Task<bool> Page::arrived(Arrival arrival, Deadline deadline) {
    for (;;) {
        bool came = navigations_ > arrival.navigations;
        if (came && !engine::is_error_page(url())) co_return true;
        NetworkLog::FailedDocument failed = network_.failed_document();
        // The browser also shows its own page for an answer without content.
        if (failed.number == arrival.failures)
            co_await engine::navigation_failed(kNoContent, network_.requested_document());
        if (failed.failure != kAborted) {
            // Its own page comes next. The call ends with what the tab goes on to show.
            if (!came)
                (void)co_await as_result(bounded(
                    conditions_.wait_until([&] { return navigations_ > arrival.navigations; }),
                    Deadline::in(kErrorPageLimit).earlier(deadline), "The browser's page about the failure"));
            co_await engine::navigation_failed(failed.failure, failed.url);
        }
        if (co_await became_download(arrival.downloads, kDownloadLimit, deadline)) co_return false;
        bool goes_on = network_.awaits_document() || navigations_ > arrival.navigations;
        if (came || !goes_on) co_await engine::navigation_failed(failed.failure, failed.url);
        co_await bounded(conditions_.wait_until([&] { return has_ended(arrival); }), deadline,
                         "Waiting for the document");
    }
}

// The browser reports a download on another session, so the event may arrive a little later.
Task<bool> Page::became_download(std::size_t before, std::chrono::milliseconds limit, Deadline deadline) {
    auto begun = co_await as_result(
        bounded(conditions_.wait_until([this, before] { return downloads_seen_ > before; }),
                Deadline::in(limit).earlier(deadline), "The download"));
    co_return begun.has_value();
}

Task<std::string> Page::open_document(std::string url, Deadline deadline) {
    network_.begin_document();
    downloads_.clear();
    std::size_t downloads_before = downloads_seen_;
    auto sent = co_await as_result(send_when_active("Page.navigate", {{"url", url}, {"frameId", id_}},
                                                    deadline, "Navigating to " + url));
    if (!sent && sent.error().message.contains("Cannot navigate to invalid URL"))
        sent.error().code = ErrorCode::InvalidUrl;
    json::value answer = co_await std::move(sent);
    const json::object& result = answer.as_object();
    std::string failure = text_of(result, "errorText");
    bool is_download = flag_of(result, "isDownload");
    if ((is_download || failure == kAborted) &&
        co_await became_download(downloads_before, is_download ? kAnnouncedLimit : kDownloadLimit, deadline))
        co_return std::string();
    // The browser drops the navigation when the old document's process ends.
    if (crashed_) {
        std::string message =
            failure.empty() ? "Page crashed" : failure + " at " + url + ": the page crashed";
        co_await Error{.code = ErrorCode::BrowserCrashed, .message = message};
    }
    if (!failure.empty()) co_await engine::navigation_failed(failure, url);
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

// A document from the back/forward cache sends no lifecycle events again, so it is asked directly.
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
    Arrival arrival = expect_arrival();
    std::size_t before_in_frames = frame_navigations_;
    const json::value& entry = entries[static_cast<std::size_t>(index)].at("id");
    (void)co_await send_when_active("Page.navigateToHistoryEntry", {{"entryId", entry}}, deadline,
                                    "Going through the history");
    for (;;) {
        co_await bounded(conditions_.wait_until(
                             [&] { return has_ended(arrival) || frame_navigations_ > before_in_frames; }),
                         deadline, "Going through the history");
        if (has_ended(arrival)) break;
        // Between the two entries only a frame may differ: then the page itself does not navigate.
        before_in_frames = frame_navigations_;
        json::value now =
            co_await send_when_active("Page.getNavigationHistory", {}, deadline, "Reading the history");
        if (json::find_integer(now.as_object(), "currentIndex") == index) co_return true;
    }
    (void)co_await arrived(arrival, deadline);
    co_return true;
}

Task<bool> Page::go_back(Deadline deadline) { return stopped_when_late(go(-1, deadline)); }
Task<bool> Page::go_forward(Deadline deadline) { return stopped_when_late(go(1, deadline)); }

Task<> Page::reload(Cache cache, Deadline deadline) {
    return stopped_when_late(reload_document(cache, deadline));
}

Task<> Page::reload_document(Cache cache, Deadline deadline) {
    auto self = shared_from_this();
    Arrival arrival = expect_arrival();
    (void)co_await send_when_active("Page.reload", {{"ignoreCache", cache == Cache::Ignore}}, deadline,
                                    "Reloading");
    co_await bounded(conditions_.wait_until([&] { return has_ended(arrival); }), deadline, "Reloading");
    if (co_await arrived(arrival, deadline))
        co_await bounded(wait_for_lifecycle("load", ""), deadline, "Reloading");
}

Task<> Page::bring_to_front(Deadline deadline) {
    // A user may be looking at the external browser's window. Every page of ours believes to be in front
    // anyway.
    if (auto context = context_.lock(); context && !context->browser().is_ours()) co_return;
    (void)co_await bounded(session_->send("Page.bringToFront"), deadline, "Bringing the tab to the front");
}

Task<> Page::close(Deadline deadline) {
    auto self = shared_from_this();
    auto context = context_.lock();
    if (closed_ || !context) co_return;
    if (unreachable_) {
        // It may never end: its events no longer matter.
        context->browser().connection()->browser()->post("Target.closeTarget", {{"targetId", id_}});
        context->browser().connection()->detach(session_->id());
        co_return;
    }
    (void)co_await bounded(
        context->browser().connection()->browser()->send("Target.closeTarget", {{"targetId", id_}}), deadline,
        "Closing the tab");
    (void)co_await as_result(
        bounded(conditions_.wait_until([this] { return closed_; }), deadline, "Closing the tab"));
}

}  // namespace cdp
