// Saves the state of a tab, and restores it into another tab.
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/cdp/storage_state.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// Max size of a saved database, in characters of JSON.
constexpr int kMaxDatabaseBytes = 4 << 20;
// The max delay that a hanging document may cause.
constexpr auto kReadLimit = 2s;
constexpr auto kLoadLimit = 5s;
// How long a restored document may take to build the fields and scroll areas that were saved.
constexpr auto kDocumentTimeout = 1s;
// Max number of frames whose fields are saved.
constexpr std::size_t kMaxFrames = 16;
// Max number of restored history entries before and behind the current one.
constexpr std::int64_t kMaxBefore = 20, kMaxBehind = 5;

constexpr std::string_view kBlank = "about:blank";

bool is_web(std::string_view url) { return url.starts_with("http://") || url.starts_with("https://"); }

std::string_view without_fragment(std::string_view url) { return url.substr(0, url.find('#')); }

std::string plural(std::int64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// A method like "storage.write" of our script, as a function.
std::string storage_call(std::string_view method) {
    return "argument => " + std::string(origin_storage_script()) + "." + std::string(method) + "(argument)";
}

std::optional<std::string> media_field(const json::object& media, std::string_view key) {
    auto text = json::find_string(media, key);
    return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

Task<json::value> Page::origin_storage() {
    auto self = shared_from_this();
    co_return co_await bounded(
        frames_.call(id_, storage_call("read"), {json::value(kMaxDatabaseBytes)}, Scripts::Snapshot),
        Deadline::in(kReadLimit), "Reading the storage");
}

// Reads the state of documents in frames, each with the path to its frame. Skips frames without our second
// script, where no action has run.
Task<json::array> Page::read_frames() {
    json::array states;
    std::vector<std::pair<std::string, json::array>> open{{id_, {}}};
    for (std::size_t i = 0; i < open.size() && states.size() < kMaxFrames; ++i) {
        auto [parent, way] = open[i];
        std::int64_t place = 0;
        for (Frame* child : frames_.children(parent)) {
            json::array there = way;
            there.emplace_back(place++);
            open.emplace_back(child->id, std::move(there));
        }
        const Frame* frame = i > 0 ? frames_.find(parent) : nullptr;
        if (!frame || !frame->world || !frame->world->has_more) continue;
        std::string url = frame->url;
        auto read = co_await as_result(bounded(frames_.call(parent, "() => troupe.saveDocument()", {}),
                                               Deadline::in(kReadLimit), "Reading a frame"));
        const json::object* document =
            read && read->is_object() ? json::find_object(read->get_object(), "document") : nullptr;
        if (document) states.push_back(json::object{{"way", way}, {"url", url}, {"document", *document}});
    }
    co_return states;
}

Task<json::value> Page::read_saved_state() {
    json::object state;
    // A document that hangs or that a dialog blocks cannot be asked; its URL is known all the same.
    Pending history = session_->begin("Page.getNavigationHistory");
    if (dialogs_.open().empty() && !crashed_) {
        auto read = co_await as_result(bounded(frames_.call(id_, "() => troupe.saveDocument()", {}),
                                               Deadline::in(kReadLimit), "Reading the document"));
        if (read && read->is_object()) state = std::move(read->as_object());
        auto inner = co_await as_result(read_frames());
        if (inner && !inner->empty()) state["frames"] = std::move(*inner);
    }
    state["url"] = url();
    Result<json::value> answer = co_await history;
    if (answer) {
        json::array urls;
        std::int64_t index = json::find_integer(answer->as_object(), "currentIndex").value_or(0);
        const json::array& entries = answer->at("entries").as_array();
        auto first = std::max<std::int64_t>(0, index - kMaxBefore);
        auto last = std::min<std::int64_t>(static_cast<std::int64_t>(entries.size()), index + 1 + kMaxBehind);
        for (auto i = first; i < last; ++i)
            urls.emplace_back(text_of(entries[static_cast<std::size_t>(i)].as_object(), "url"));
        state["history"] =
            json::object{{"urls", std::move(urls)}, {"index", index - first}, {"dropped", first > 0}};
    }
    auto context = context_.lock();
    const auto& viewport = emulation_.viewport();
    const auto& given = context ? context->options().viewport : viewport;
    if (viewport && (!given || given->width != viewport->width || given->height != viewport->height))
        state["viewport"] = json::array{viewport->width, viewport->height};
    const engine::MediaOptions& media = emulation_.media_options();
    json::object features;
    for (auto [key, value] : {std::pair{"media", &media.media},
                              {"colorScheme", &media.color_scheme},
                              {"reducedMotion", &media.reduced_motion},
                              {"forcedColors", &media.forced_colors},
                              {"contrast", &media.contrast}}) {
        if (*value) features[key] = **value;
    }
    if (!features.empty()) state["media"] = std::move(features);
    co_return state;
}

Task<json::value> Page::save_state(Deadline deadline) {
    auto self = shared_from_this();
    co_return co_await bounded(read_saved_state(), deadline, "Saving the tab's state");
}

// Answers every URL with an empty, uncacheable document, without the network.
Task<> Page::answer_blank() {
    static const auto kBlankRoutes =
        std::make_shared<const Routes>(Routes::create({{.pattern = "**",
                                                        .status = 200,
                                                        .body = "<html></html>",
                                                        .content_type = "text/html",
                                                        .answer_headers = {{"Cache-Control", "no-store"}}}})
                                           .value());
    return Batch::finish(network_.set_routes(kBlankRoutes));
}

Task<> Page::answer_as_before() {
    auto context = context_.lock();
    return Batch::finish(
        network_.set_routes(context ? context->shared_routes() : std::make_shared<const Routes>()));
}

Task<> Page::put_origin(json::object origin, std::string address, Deadline deadline) {
    (void)co_await open_document(address, deadline);
    (void)co_await bounded(
        frames_.call(id_, storage_call("write"), {json::value(std::move(origin))}, Scripts::Snapshot),
        deadline, "Restoring the storage of " + address);
}

// Returns the origins that could not be restored: a failing origin does not affect the others.
Task<json::array> Page::put_storage(json::array origins, Deadline deadline) {
    json::array left;
    for (const json::value& each : origins) {
        const json::object* origin = each.if_object();
        std::string address = origin ? text_of(*origin, "origin") : "";
        if (!is_web(address)) continue;
        auto put = co_await as_result(put_origin(*origin, address, deadline));
        if (!put && put.error().code == ErrorCode::BrowserCrashed) co_await put.error();
        if (!put) left.push_back(each);
    }
    co_return left;
}

Task<json::array> Page::fill_storage(json::array origins, Deadline deadline) {
    auto self = shared_from_this();
    if (origins.empty()) co_return json::array();
    co_await answer_blank();
    auto left = co_await as_result(put_storage(std::move(origins), deadline));
    (void)co_await as_result(answer_as_before());
    co_return co_await std::move(left);
}

// Builds the entries with blank documents. If the current entry is the last, it is left to be loaded;
// otherwise it is blank, too.
Task<Page::Rebuilt> Page::rebuild_history(json::object history, Deadline deadline) {
    std::vector<std::string> urls;
    std::size_t index = 0;
    if (const json::array* given = json::find_array(history, "urls")) {
        auto current = json::find_integer(history, "index").value_or(0);
        for (std::size_t i = 0; i < given->size(); ++i) {
            std::string url = given->at(i).is_string() ? std::string(given->at(i).get_string()) : "";
            if (!is_web(url) && url != kBlank) continue;
            if (static_cast<std::int64_t>(i) <= current) index = urls.size();
            urls.push_back(std::move(url));
        }
    }
    if (urls.size() < 2) co_return Rebuilt::Nothing;
    bool last = index + 1 == urls.size();
    bool up_to_current = last && without_fragment(urls[index]) != without_fragment(urls[index - 1]);
    std::size_t count = up_to_current ? index : urls.size();
    for (std::size_t i = 0; i < count; ++i) {
        bool here = i == 0 && url() == urls[i];
        if (!here) (void)co_await open_document(urls[i], deadline);
        if (i == 0) co_await session_->send("Page.resetNavigationHistory");
    }
    if (up_to_current) co_return Rebuilt::UpToCurrent;
    if (last) co_return Rebuilt::All;
    json::value now = co_await session_->send("Page.getNavigationHistory");
    const json::array& entries = now.at("entries").as_array();
    if (index >= entries.size()) co_return Rebuilt::Nothing;
    std::size_t before = navigations_;
    (void)co_await session_->send("Page.navigateToHistoryEntry", {{"entryId", entries[index].at("id")}});
    co_await bounded(conditions_.wait_until([this, before] { return navigations_ > before; }), deadline,
                     "Going through the history");
    co_return Rebuilt::All;
}

// Replaces the blank document by the real one, in the same history entry.
Task<> Page::load_in_place(Deadline deadline) {
    network_.clear();
    std::size_t before = navigations_;
    (void)co_await send_when_active("Page.reload", {}, deadline, "Loading");
    co_await bounded(conditions_.wait_until([this, before] { return navigations_ > before; }), deadline,
                     "Loading");
    if (!is_web(url())) co_await Error{.code = ErrorCode::NavigationFailed, .message = "it does not answer"};
    (void)co_await as_result(
        bounded(wait_for_lifecycle("load", ""), Deadline::in(kLoadLimit).earlier(deadline), "Loading"));
}

Task<> Page::emulate_again(json::object state, Deadline deadline) {
    if (const json::array* size = json::find_array(state, "viewport"); size && size->size() == 2)
        co_await resize({size->at(0).to_number<int>(), size->at(1).to_number<int>()}, deadline);
    if (const json::object* media = json::find_object(state, "media")) {
        co_await emulate_media({.media = media_field(*media, "media"),
                                .color_scheme = media_field(*media, "colorScheme"),
                                .reduced_motion = media_field(*media, "reducedMotion"),
                                .forced_colors = media_field(*media, "forcedColors"),
                                .contrast = media_field(*media, "contrast")},
                               deadline);
    }
}

// Restores a document; adds the parts that failed to the outcome.
Task<> Page::restore_document(std::string frame, std::string url, json::object document,
                              RestoreOutcome& outcome, Deadline deadline) {
    std::vector<std::string>& missing = outcome.missing;
    auto put = co_await as_result(
        bounded(frames_.call(frame, "(state, timeout) => troupe.restoreDocument(state, timeout)",
                             {json::value(document), json::value(kDocumentTimeout / 1ms)}),
                deadline, "Restoring the fields"));
    std::int64_t fields = 0, scroll = 0;
    if (put && put->is_object()) {
        fields = json::find_integer(put->as_object(), "fields").value_or(0);
        scroll = json::find_integer(put->as_object(), "scroll").value_or(0);
    } else if (const json::array* all = json::find_array(document, "fields")) {
        fields = static_cast<std::int64_t>(all->size());
    }
    if (fields > 0 || scroll > 0 || !put) outcome.is_complete = false;
    if (fields > 0)
        missing.push_back("On " + url + ", " + plural(fields, "field") + " could not be filled in again.");
    if (scroll > 0) missing.push_back("On " + url + ", the scroll position could not be restored.");
    if (const json::object* lost = json::find_object(document, "lost")) {
        for (const auto& [what, count] : *lost)
            missing.push_back("On " + url + ", " + std::string(what) + " have to be given again.");
    }
}

// The frame at the end of the path, if it shows that URL.
Frame* Page::frame_at(const json::array& way, std::string_view url) {
    Frame* frame = frames_.main();
    for (const json::value& step : way) {
        auto children = frame ? frames_.children(frame->id) : std::vector<Frame*>();
        auto place = json::as_integer(step).value_or(-1);
        bool there = place >= 0 && place < static_cast<std::int64_t>(children.size());
        frame = there ? children[static_cast<std::size_t>(place)] : nullptr;
    }
    return frame && without_fragment(frame->url) == without_fragment(url) ? frame : nullptr;
}

Task<> Page::restore_frames(json::array frames, RestoreOutcome& outcome, Deadline deadline) {
    Deadline limit = Deadline::in(kDocumentTimeout).earlier(deadline);
    for (const json::value& each : frames) {
        const json::object* state = each.if_object();
        const json::array* way = state ? json::find_array(*state, "way") : nullptr;
        const json::object* document = state ? json::find_object(*state, "document") : nullptr;
        if (!way || !document) continue;
        std::string url = text_of(*state, "url");
        (void)co_await as_result(
            bounded(conditions_.wait_until([&] { return frame_at(*way, url) != nullptr; }), limit,
                    "Waiting for a frame"));
        const Frame* frame = frame_at(*way, url);
        if (!frame) {
            outcome.is_complete = false;
            outcome.missing.push_back("The frame " + url + " was not there any more.");
            continue;
        }
        co_await restore_document(frame->id, url, *document, outcome, deadline);
    }
}

// Restores what comes before the document: the origins' storage for this tab, and its history.
Task<Page::Rebuilt> Page::rebuild_past(const json::object& state, std::string url, RestoreOutcome& outcome,
                                       Deadline deadline) {
    json::array storage;
    if (const json::array* earlier = json::find_array(state, "storages")) storage = *earlier;
    if (const json::object* latest = json::find_object(state, "storage")) storage.emplace_back(*latest);
    const json::object* history = json::find_object(state, "history");
    const json::array* entries = history ? json::find_array(*history, "urls") : nullptr;
    if (storage.empty() && (!entries || entries->size() < 2)) co_return Rebuilt::Nothing;
    co_await answer_blank();
    auto left = co_await as_result(put_storage(std::move(storage), deadline));
    auto built = co_await as_result(rebuild_history(history ? *history : json::object(), deadline));
    (void)co_await as_result(answer_as_before());
    if (!left || !left->empty()) {
        outcome.is_complete = false;
        outcome.missing.push_back("What sites kept for the tab at " + url + " was not restored.");
    }
    if (built) co_return *built;
    outcome.is_complete = false;
    outcome.missing.push_back("The history of " + url + " was not restored.");
    co_return Rebuilt::Nothing;
}

// Loads the real document, in its history entry if there is one.
Task<> Page::show_again(std::string url, Rebuilt rebuilt, Deadline deadline) {
    bool was_used = this->url() != kBlank || rebuilt != Rebuilt::Nothing;
    bool stands_here = was_used && without_fragment(this->url()) == without_fragment(url);
    if (url == kBlank) {
        if (!stands_here && was_used) (void)co_await open_document(url, deadline);
    } else if (stands_here) {
        if (this->url() != url) (void)co_await as_result(open_document(url, deadline));
        co_await load_in_place(deadline);
    } else {
        co_await navigate(url, deadline);
    }
    if (rebuilt == Rebuilt::Nothing && was_used)
        (void)co_await as_result(bounded(session_->send("Page.resetNavigationHistory"), deadline, "History"));
}

// Restores fields and scroll positions, if the documents are the same ones.
Task<> Page::restore_documents(const json::object& state, std::string url, RestoreOutcome& outcome,
                               Deadline deadline) {
    const json::object* document = json::find_object(state, "document");
    if (!document) co_return;
    if (without_fragment(this->url()) != without_fragment(url)) {
        outcome.is_complete = false;
        outcome.missing.push_back(url + " led to " + this->url() + ".");
        co_return;
    }
    co_await restore_document(id_, url, *document, outcome, deadline);
    if (const json::array* inner = json::find_array(state, "frames"))
        co_await restore_frames(*inner, outcome, deadline);
}

Task<Page::RestoreOutcome> Page::restore_state(json::value state, Deadline deadline) {
    auto self = shared_from_this();
    RestoreOutcome outcome;
    const json::object* given = state.if_object();
    if (!given) co_return outcome;
    std::string url = text_of(*given, "url");
    auto emulated = co_await as_result(emulate_again(*given, deadline));
    if (!emulated) {
        outcome.is_complete = false;
        outcome.missing.push_back("The size or the media features of the tab at " + url +
                                  " were not restored.");
    }
    // If no URL can be opened again, the tab is as blank as a new one, even if it was used meanwhile.
    if (!is_web(url) && !url.starts_with("data:") && !url.starts_with("file:")) {
        if (url != kBlank && !url.empty())
            outcome.missing.push_back("The tab at " + url + " was left blank.");
        url = kBlank;
    }
    Rebuilt rebuilt = co_await rebuild_past(*given, url, outcome, deadline);
    auto shown = co_await as_result(show_again(url, rebuilt, deadline));
    if (!shown) {
        outcome.is_complete = false;
        outcome.missing.push_back(url + " could not be opened again: " + shown.error().message);
        co_return outcome;
    }
    if (const auto& status = document_status(); url != kBlank && status && status->status >= 500) {
        outcome.is_complete = false;
        outcome.missing.push_back(url + " answered with " + std::to_string(status->status) + ".");
        co_return outcome;
    }
    const json::object* history = json::find_object(*given, "history");
    if (history && flag_of(*history, "dropped"))
        outcome.missing.push_back("Only the last entries of the history of " + url + " were restored.");
    co_await restore_documents(*given, url, outcome, deadline);
    co_return outcome;
}

}  // namespace cdp
