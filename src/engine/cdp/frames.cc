#include "engine/cdp/frames.h"

#include <algorithm>

#include "engine/cdp/fields.h"

namespace cdp {
namespace {

// The back/forward cache holds fewer pages per tab.
constexpr std::size_t kDepartedPages = 16;

}  // namespace

RemoteElement::~RemoteElement() { session->post("Runtime.releaseObject", {{"objectId", object}}); }

Frame& Frames::ensure(const std::string& id, const std::string& parent,
                      const std::shared_ptr<Session>& session) {
    auto [it, added] = frames_.try_emplace(id);
    Frame& frame = it->second;
    if (added) {
        frame.id = id;
        order_.push_back(id);
        if (id != main_) frame.number = ++last_number_;
    }
    if (frame.parent.empty()) frame.parent = parent;
    // A frame that moved to another process lost its scripts.
    if (frame.session != session) {
        frame.session = session;
        frame.forget_scripts();
    }
    return frame;
}

void Frames::remove(const std::string& id) {
    for (Frame* child : children(id)) remove(std::string(child->id));
    bool known = frames_.erase(id) > 0;
    std::erase(order_, id);
    if (known && on_removed) on_removed(id);
}

void Frames::remove_all_of(const Session& session) {
    std::vector<std::string> ended;
    for (const auto& [id, frame] : frames_) {
        if (frame.session.get() == &session) ended.push_back(id);
    }
    for (const std::string& id : ended) remove(id);
}

Frame* Frames::main() { return find(main_); }

Frame* Frames::find(std::string_view id) {
    auto it = frames_.find(id);
    return it == frames_.end() ? nullptr : &it->second;
}

Frame* Frames::find_numbered(int number) {
    for (auto& [id, frame] : frames_) {
        if (frame.number == number) return &frame;
    }
    return nullptr;
}

std::vector<Frame*> Frames::children(std::string_view id) {
    std::vector<Frame*> found;
    for (const std::string& each : order_) {
        Frame* frame = find(each);
        if (frame && frame->parent == id) found.push_back(frame);
    }
    return found;
}

void Frames::ask_tree(const std::shared_ptr<Session>& session, std::function<void(Result<void>)> taken) {
    std::weak_ptr<int> alive = alive_;
    session->relay("Page.getFrameTree", {},
                   [this, alive, session, taken = std::move(taken)](const json::object& answer) {
                       if (alive.expired()) return;
                       const json::object* result = json::find_object(answer, "result");
                       const json::object* tree = result ? json::find_object(*result, "frameTree") : nullptr;
                       if (tree) take_tree(session, *tree, "");
                       if (!taken) return;
                       if (tree)
                           taken(ok());
                       else
                           taken(Error{.code = ErrorCode::BrowserCrashed,
                                       .message = "Target page, context or browser has been closed"});
                   });
}

void Frames::take_tree(const std::shared_ptr<Session>& session, const json::object& tree,
                       const std::string& parent) {
    const json::object* info = json::find_object(tree, "frame");
    if (!info) return;
    std::string id = text_of(*info, "id");
    std::string above = parent.empty() ? text_of(*info, "parentId") : parent;
    const Frame* known = find(id);
    bool was_seen_to_come = known && !known->parent.empty();
    Frame& frame = ensure(id, above, session);
    if (Frame* holder = find(above); holder && !was_seen_to_come) holder->children_in_order = false;
    frame.url = text_of(*info, "url") + text_of(*info, "urlFragment");
    frame.loader = text_of(*info, "loaderId");
    if (!frame.world) frame.number = former_number(frame).value_or(frame.number);
    if (const json::array* children_of = json::find_array(tree, "childFrames")) {
        for (const json::value& child : *children_of) take_tree(session, child.as_object(), id);
    }
}

void Frames::note_departure() {
    std::map<std::string, Numbered> page;
    std::vector<Frame*> going{main()};
    for (std::size_t i = 0; i < going.size(); ++i) {
        if (!going[i]->loader.empty()) page[going[i]->loader] = {going[i]->number, going[i]->session};
        for (Frame* child : children(going[i]->id)) going.push_back(child);
    }
    departed_.push_back(std::move(page));
    if (departed_.size() > kDepartedPages) departed_.pop_front();
}

// Our world in a document belongs to one session: in another session its elements have no refs yet.
std::optional<int> Frames::former_number(const Frame& frame) const {
    for (const auto& page : departed_) {
        auto it = page.find(frame.loader);
        if (it != page.end() && it->second.session.lock() == frame.session) return it->second.number;
    }
    return std::nullopt;
}

void Frames::navigated(const std::shared_ptr<Session>& session, const json::object& info, bool restored) {
    std::string id = text_of(info, "id");
    Frame& frame = ensure(id, text_of(info, "parentId"), session);
    if (id == main_) note_departure();
    bool had_document = !frame.url.empty() && frame.url != "about:blank";
    frame.url = text_of(info, "url") + text_of(info, "urlFragment");
    frame.loader = text_of(info, "loaderId");
    // Refs of the old document must not name elements of the new one.
    auto former = restored ? former_number(frame) : std::nullopt;
    if (former)
        frame.number = *former;
    else if (had_document)
        frame.number = ++last_number_;
    frame.lifecycle.clear();
    // Only a loaded page can be restored, and it sends no lifecycle events again.
    if (restored) frame.lifecycle = {"DOMContentLoaded", "load"};
    frame.preparing = nullptr;
    frame.children_in_order = true;
    // The old document's child frames are gone with it.
    for (Frame* child : children(id)) remove(std::string(child->id));
    // No event reports the child frames of a restored document.
    if (restored) ask_tree(session);
    // The next call is most likely a snapshot.
    if (id == main_ && frame.url != "about:blank") prepare_world(*find(id));
    if (on_navigated) on_navigated(*find(id));
}

void Frames::attach(const std::shared_ptr<Session>& session) {
    sources_.remove_if([](const Source& each) { return each.session->is_closed(); });
    Source& source = sources_.emplace_back(session);
    auto listen = [&](const char* event, auto handler) {
        source.subscriptions.push_back(session->on(event, std::move(handler)));
    };
    listen("Page.frameAttached", [this, session](const json::object& params) {
        ensure(text_of(params, "frameId"), text_of(params, "parentFrameId"), session);
    });
    listen("Page.frameDetached", [this](const json::object& params) {
        // A frame that only changes its process is attached again with its own session.
        if (text_of(params, "reason") != "swap") remove(text_of(params, "frameId"));
    });
    listen("Page.frameNavigated", [this, session](const json::object& params) {
        if (const json::object* info = json::find_object(params, "frame"))
            navigated(session, *info, text_of(params, "type") == "BackForwardCacheRestore");
    });
    listen("Page.navigatedWithinDocument", [this](const json::object& params) {
        if (Frame* frame = find(text_of(params, "frameId"))) {
            frame->url = text_of(params, "url");
            if (on_url_changed) on_url_changed(*frame);
        }
    });
    listen("Page.lifecycleEvent", [this, session](const json::object& params) {
        Frame* frame = find(text_of(params, "frameId"));
        if (!frame || frame->session != session) return;
        std::string step = text_of(params, "name"), loader = text_of(params, "loaderId");
        if (loader != frame->loader) return;
        frame->lifecycle.insert(step);
        if (on_lifecycle) on_lifecycle(*frame, step);
    });
    listen_to_contexts(source);
}

void Frames::listen_to_contexts(Source& source) {
    std::shared_ptr<Session> session = source.session;
    auto listen = [&](const char* event, auto handler) {
        source.subscriptions.push_back(session->on(event, std::move(handler)));
    };
    listen("Runtime.executionContextCreated", [this, session](const json::object& params) {
        const json::object* context = json::find_object(params, "context");
        const json::object* data = context ? json::find_object(*context, "auxData") : nullptr;
        auto id = context ? json::find_integer(*context, "id") : std::nullopt;
        if (!data || !id) return;
        bool is_pages = flag_of(*data, "isDefault");
        if (!is_pages && text_of(*context, "name") != kWorldName) return;
        // May arrive before the frame tree.
        Frame& frame = ensure(text_of(*data, "frameId"), "", session);
        (is_pages ? frame.page_context : frame.isolated) =
            ScriptContext{static_cast<int>(*id), text_of(*context, "uniqueId")};
    });
    listen("Runtime.executionContextDestroyed", [this, session](const json::object& params) {
        auto id = json::find_integer(params, "executionContextId");
        auto is_it = [&](const auto& context) { return context && context->id == id; };
        for (auto& [name, frame] : frames_) {
            if (frame.session != session) continue;
            if (is_it(frame.page_context)) frame.page_context.reset();
            if (is_it(frame.isolated)) {
                frame.isolated.reset();
                frame.world.reset();
            }
        }
    });
    listen("Runtime.executionContextsCleared", [this, session](const json::object&) {
        for (auto& [name, frame] : frames_) {
            if (frame.session == session) frame.forget_scripts();
        }
    });
}

}  // namespace cdp
