// Making another tab of one that is gone, or about to be.
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/cdp/storage_state.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// How much of a database is kept, in characters of JSON.
constexpr int kLargestDatabases = 4 << 20;
// A document that hangs holds nobody up for longer.
constexpr auto kReadLimit = 2s;
constexpr auto kLoadLimit = 5s;
// How long a restored document may take to build what was filled in or scrolled.
constexpr auto kDocumentPatience = 1s;
// Frames of one tab whose fields are kept.
constexpr std::size_t kMostFrames = 16;
// Entries of the history that are brought back, before and behind the current one.
constexpr std::int64_t kMostBefore = 20, kMostBehind = 5;

bool is_web(std::string_view url) { return url.starts_with("http://") || url.starts_with("https://"); }

std::string_view without_fragment(std::string_view url) { return url.substr(0, url.find('#')); }

std::string plural(std::int64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// "storage.write" and the like, as a function of our script.
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
        frames_.call(id_, storage_call("read"), {json::value(kLargestDatabases)}, Scripts::Snapshot),
        Deadline::in(kReadLimit), "Reading the storage");
}

// What was left in documents inside, each with the way to its frame. Only where an action may have been:
// frames of others are not looked into.
Task<json::array> Page::read_frames() {
    json::array memories;
    std::vector<std::pair<std::string, json::array>> open{{id_, {}}};
    for (std::size_t i = 0; i < open.size() && memories.size() < kMostFrames; ++i) {
        auto [parent, way] = open[i];
        std::int64_t place = 0;
        for (Frame* child : frames_.children(parent)) {
            json::array there = way;
            there.emplace_back(place++);
            open.emplace_back(child->id, std::move(there));
        }
        const Frame* frame = i > 0 ? frames_.find(parent) : nullptr;
        if (!frame || !frame->has_more) continue;
        std::string url = frame->url;
        auto read = co_await as_result(bounded(frames_.call(parent, "() => troupe.rememberDocument()", {}),
                                               Deadline::in(kReadLimit), "Reading a frame"));
        const json::object* document =
            read && read->is_object() ? json::find_object(read->get_object(), "document") : nullptr;
        if (document) memories.push_back(json::object{{"way", way}, {"url", url}, {"document", *document}});
    }
    co_return memories;
}

Task<json::value> Page::read_memory() {
    json::object memory;
    // A document that a dialog stops, or that hangs, cannot be asked; its address is known all the same.
    Pending history = session_->begin("Page.getNavigationHistory");
    if (dialogs_.open().empty() && !crashed_) {
        auto read = co_await as_result(bounded(frames_.call(id_, "() => troupe.rememberDocument()", {}),
                                               Deadline::in(kReadLimit), "Reading the document"));
        if (read && read->is_object()) memory = std::move(read->as_object());
        auto inner = co_await as_result(read_frames());
        if (inner && !inner->empty()) memory["frames"] = std::move(*inner);
    }
    memory["url"] = url();
    Result<json::value> answer = co_await history;
    if (answer) {
        json::array urls;
        std::int64_t index = json::find_integer(answer->as_object(), "currentIndex").value_or(0);
        const json::array& entries = answer->at("entries").as_array();
        auto first = std::max<std::int64_t>(0, index - kMostBefore);
        auto last =
            std::min<std::int64_t>(static_cast<std::int64_t>(entries.size()), index + 1 + kMostBehind);
        for (auto i = first; i < last; ++i)
            urls.emplace_back(text_of(entries[static_cast<std::size_t>(i)].as_object(), "url"));
        memory["history"] =
            json::object{{"urls", std::move(urls)}, {"index", index - first}, {"dropped", first > 0}};
    }
    auto context = context_.lock();
    const auto& viewport = emulation_.viewport();
    const auto& given = context ? context->options().viewport : viewport;
    if (viewport && (!given || given->width != viewport->width || given->height != viewport->height))
        memory["viewport"] = json::array{viewport->width, viewport->height};
    const engine::MediaOptions& media = emulation_.media_options();
    json::object features;
    for (auto [key, value] : {std::pair{"media", &media.media},
                              {"colorScheme", &media.color_scheme},
                              {"reducedMotion", &media.reduced_motion},
                              {"forcedColors", &media.forced_colors},
                              {"contrast", &media.contrast}}) {
        if (*value) features[key] = **value;
    }
    if (!features.empty()) memory["media"] = std::move(features);
    co_return memory;
}

Task<json::value> Page::remember(Deadline deadline) {
    auto self = shared_from_this();
    co_return co_await bounded(read_memory(), deadline, "Remembering the tab");
}

// Every address answers with nothing, without the network, and is not kept for a way back.
Task<> Page::answer_blank() {
    static const auto kBlank =
        std::make_shared<const Routes>(Routes::create({{.pattern = "**",
                                                        .status = 200,
                                                        .body = "<html></html>",
                                                        .content_type = "text/html",
                                                        .answer_headers = {{"Cache-Control", "no-store"}}}})
                                           .value());
    return Batch::finish(network_.set_routes(kBlank));
}

Task<> Page::answer_as_before() {
    auto context = context_.lock();
    return Batch::finish(
        network_.set_routes(context ? context->shared_routes() : std::make_shared<const Routes>()));
}

Task<> Page::put_storage(json::array origins, Deadline deadline) {
    for (const json::value& each : origins) {
        const json::object* origin = each.if_object();
        std::string address = origin ? text_of(*origin, "origin") : "";
        if (!is_web(address)) continue;
        (void)co_await open_document(address, deadline);
        (void)co_await bounded(
            frames_.call(id_, storage_call("write"), {json::value(*origin)}, Scripts::Snapshot), deadline,
            "Restoring the storage of " + address);
    }
}

Task<> Page::fill_storage(json::array origins, Deadline deadline) {
    auto self = shared_from_this();
    if (origins.empty()) co_return;
    co_await answer_blank();
    auto filled = co_await as_result(put_storage(std::move(origins), deadline));
    (void)co_await as_result(answer_as_before());
    co_await std::move(filled);
}

// Builds the entries with blank documents. Where nothing is behind the current one, that is left to be
// loaded; else a blank document stands for it as well.
Task<Page::Rebuilt> Page::rebuild_history(json::object history, Deadline deadline) {
    std::vector<std::string> urls;
    std::size_t index = 0;
    if (const json::array* given = json::find_array(history, "urls")) {
        auto current = json::find_integer(history, "index").value_or(0);
        for (std::size_t i = 0; i < given->size(); ++i) {
            std::string url = given->at(i).is_string() ? std::string(given->at(i).get_string()) : "";
            if (!is_web(url) && url != "about:blank") continue;
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

// The blank document makes way for the real one, in the same entry of the history.
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

Task<> Page::emulate_again(json::object memory, Deadline deadline) {
    if (const json::array* size = json::find_array(memory, "viewport"); size && size->size() == 2)
        co_await resize({size->at(0).to_number<int>(), size->at(1).to_number<int>()}, deadline);
    if (const json::object* media = json::find_object(memory, "media")) {
        co_await emulate_media({.media = media_field(*media, "media"),
                                .color_scheme = media_field(*media, "colorScheme"),
                                .reduced_motion = media_field(*media, "reducedMotion"),
                                .forced_colors = media_field(*media, "forcedColors"),
                                .contrast = media_field(*media, "contrast")},
                               deadline);
    }
}

// Gives what found no place.
Task<std::vector<std::string>> Page::recall_document(std::string frame, std::string url,
                                                     json::object document, Deadline deadline) {
    std::vector<std::string> missing;
    auto recalled = co_await as_result(
        bounded(frames_.call(frame, "(memory, patience) => troupe.recallDocument(memory, patience)",
                             {json::value(document), json::value(kDocumentPatience / 1ms)}),
                deadline, "Restoring the fields"));
    std::int64_t fields = 0, scroll = 0;
    if (recalled && recalled->is_object()) {
        fields = json::find_integer(recalled->as_object(), "fields").value_or(0);
        scroll = json::find_integer(recalled->as_object(), "scroll").value_or(0);
    } else if (const json::array* all = json::find_array(document, "fields")) {
        fields = static_cast<std::int64_t>(all->size());
    }
    if (fields > 0)
        missing.push_back("On " + url + ", " + plural(fields, "field") + " could not be filled in again.");
    if (scroll > 0) missing.push_back("On " + url + ", the scroll position could not be restored.");
    if (const json::object* lost = json::find_object(document, "lost")) {
        for (const auto& [what, count] : *lost)
            missing.push_back("On " + url + ", " + std::string(what) + " have to be given again.");
    }
    co_return missing;
}

// The frame at the end of the way, once it shows that address.
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

Task<std::vector<std::string>> Page::recall_frames(json::array frames, Deadline deadline) {
    std::vector<std::string> missing;
    Deadline patience = Deadline::in(kDocumentPatience).earlier(deadline);
    for (const json::value& each : frames) {
        const json::object* memory = each.if_object();
        const json::array* way = memory ? json::find_array(*memory, "way") : nullptr;
        const json::object* document = memory ? json::find_object(*memory, "document") : nullptr;
        if (!way || !document) continue;
        std::string url = text_of(*memory, "url");
        (void)co_await as_result(
            bounded(conditions_.wait_until([&] { return frame_at(*way, url) != nullptr; }), patience,
                    "Waiting for a frame"));
        const Frame* frame = frame_at(*way, url);
        if (!frame) {
            missing.push_back("The frame " + url + " was not there any more.");
            continue;
        }
        for (std::string& line : co_await recall_document(frame->id, url, *document, deadline))
            missing.push_back(std::move(line));
    }
    co_return missing;
}

Task<std::vector<std::string>> Page::recall(json::value memory, Deadline deadline) {
    auto self = shared_from_this();
    std::vector<std::string> missing;
    const json::object* given = memory.if_object();
    if (!given) co_return missing;
    std::string url = text_of(*given, "url");
    (void)co_await as_result(emulate_again(*given, deadline));
    if (!is_web(url) && !url.starts_with("data:") && !url.starts_with("file:")) {
        if (url != "about:blank" && !url.empty()) missing.push_back("The tab at " + url + " was left blank.");
        co_return missing;
    }
    json::array storage;
    if (const json::array* earlier = json::find_array(*given, "storages")) storage = *earlier;
    if (const json::object* latest = json::find_object(*given, "storage")) storage.emplace_back(*latest);
    const json::object* history = json::find_object(*given, "history");
    const json::array* entries = history ? json::find_array(*history, "urls") : nullptr;
    bool was_used = this->url() != "about:blank";
    Rebuilt rebuilt = Rebuilt::Nothing;
    if (!storage.empty() || (entries && entries->size() > 1)) {
        was_used = true;
        co_await answer_blank();
        (void)co_await as_result(put_storage(std::move(storage), deadline));
        auto built = co_await as_result(rebuild_history(history ? *history : json::object(), deadline));
        (void)co_await as_result(answer_as_before());
        if (built) rebuilt = *built;
        if (!built) missing.push_back("The history of " + url + " was not restored.");
    }
    Result<void> loaded = ok();
    bool stands_here = was_used && without_fragment(this->url()) == without_fragment(url);
    if (stands_here) {
        if (this->url() != url) (void)co_await as_result(open_document(url, deadline));
        loaded = co_await as_result(load_in_place(deadline));
    } else {
        loaded = co_await as_result(navigate(url, deadline));
    }
    if (loaded && rebuilt == Rebuilt::Nothing && was_used)
        (void)co_await as_result(bounded(session_->send("Page.resetNavigationHistory"), deadline, "History"));
    if (!loaded) {
        missing.push_back(url + " could not be opened again: " + loaded.error().message);
        co_return missing;
    }
    if (history && flag_of(*history, "dropped"))
        missing.push_back("Only the last entries of the history of " + url + " were restored.");
    const json::object* document = json::find_object(*given, "document");
    if (!document) co_return missing;
    if (without_fragment(this->url()) != without_fragment(url)) {
        missing.push_back(url + " led to " + this->url() + ".");
        co_return missing;
    }
    for (std::string& line : co_await recall_document(id_, url, *document, deadline))
        missing.push_back(std::move(line));
    if (const json::array* inner = json::find_array(*given, "frames")) {
        for (std::string& line : co_await recall_frames(*inner, deadline)) missing.push_back(std::move(line));
    }
    co_return missing;
}

}  // namespace cdp
