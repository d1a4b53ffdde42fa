#include "engine/cdp/frames.h"

#include <algorithm>

#include "page/script.h"

namespace cdp {
namespace {

constexpr std::string_view kWorldName = "troupe";
// An agent thinks for longer, a program does not wait for it.
constexpr std::chrono::milliseconds kMoment{100};

std::string string_of(const json::object& from, std::string_view key) {
    return std::string(json::find_string(from, key).value_or(""));
}

Error frame_gone() {
    return Error{.code = ErrorCode::ElementNotFound,
                 .message = "The frame was removed or navigated away.",
                 .hint = "Take a new snapshot and try again."};
}

// What our script throws (select_dom.js): {"troupe": {code, message}}.
std::optional<Error> own_error(std::string_view thrown) {
    if (!thrown.starts_with("{\"troupe\":")) return std::nullopt;
    auto parsed = json::parse(thrown);
    const json::object* own = parsed ? json::find_object(parsed->as_object(), "troupe") : nullptr;
    if (!own) return std::nullopt;
    Error error{.code = ErrorCode::InternalError, .message = string_of(*own, "message")};
    std::string code = string_of(*own, "code");
    if (code == "INVALID_SELECTOR" || code == "STRICT") error.code = ErrorCode::InvalidSelector;
    if (code == "ELEMENT_NOT_FOUND") error.code = ErrorCode::ElementNotFound;
    if (code == "ELEMENT_NOT_INTERACTIVE") error.code = ErrorCode::ElementNotInteractive;
    return error;
}

// That, or any error of the page.
Error error_from(const json::object& details) {
    const json::object* exception = json::find_object(details, "exception");
    Error error{.code = ErrorCode::InternalError, .message = string_of(details, "text")};
    if (!exception) return error;
    if (auto description = json::find_string(*exception, "description")) {
        error.message = *description;
    } else if (const json::value* value = json::find(*exception, "value")) {
        error.message = value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
    }
    if (auto thrown = json::find_string(*exception, "value")) return own_error(*thrown).value_or(error);
    return error;
}

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
    // A frame that moved to another process left its scripts behind.
    if (frame.session != session) {
        frame.session = session;
        frame.page_context.reset();
        frame.troupe_context.reset();
    }
    return frame;
}

void Frames::remove(const std::string& id) {
    for (Frame* child : children(id)) remove(std::string(child->id));
    frames_.erase(id);
    std::erase(order_, id);
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

void Frames::take_tree(const std::shared_ptr<Session>& session, const json::object& tree,
                       const std::string& parent) {
    const json::object* info = json::find_object(tree, "frame");
    if (!info) return;
    std::string id = string_of(*info, "id");
    std::string above = parent.empty() ? string_of(*info, "parentId") : parent;
    Frame& frame = ensure(id, above, session);
    frame.url = string_of(*info, "url") + string_of(*info, "urlFragment");
    frame.loader = string_of(*info, "loaderId");
    if (const json::array* children_of = json::find_array(tree, "childFrames")) {
        for (const json::value& child : *children_of) take_tree(session, child.as_object(), id);
    }
}

void Frames::navigated(const std::shared_ptr<Session>& session, const json::object& info) {
    std::string id = string_of(info, "id");
    Frame& frame = ensure(id, string_of(info, "parentId"), session);
    // Refs of the document that goes must not name elements of the one that comes.
    if (!frame.url.empty() && frame.url != "about:blank") frame.number = ++last_number_;
    frame.url = string_of(info, "url") + string_of(info, "urlFragment");
    frame.loader = string_of(info, "loaderId");
    frame.lifecycle.clear();
    frame.preparing = nullptr;
    // The old document's frames went with it.
    for (Frame* child : children(id)) remove(std::string(child->id));
    // The next thing that is wanted of it is a snapshot.
    if (id == main_ && frame.url != "about:blank") prepare_world(*find(id));
    if (on_navigated) on_navigated(*find(id));
}

void Frames::attach(const std::shared_ptr<Session>& session) {
    auto listen = [&](const char* event, auto handler) {
        subscriptions_.push_back(session->on(event, std::move(handler)));
    };
    listen("Page.frameAttached", [this, session](const json::object& params) {
        ensure(string_of(params, "frameId"), string_of(params, "parentFrameId"), session);
    });
    listen("Page.frameDetached", [this](const json::object& params) {
        // A frame that only changes its process comes back with a session of its own.
        if (string_of(params, "reason") != "swap") remove(string_of(params, "frameId"));
    });
    listen("Page.frameNavigated", [this, session](const json::object& params) {
        if (const json::object* info = json::find_object(params, "frame")) navigated(session, *info);
    });
    listen("Page.navigatedWithinDocument", [this](const json::object& params) {
        if (Frame* frame = find(string_of(params, "frameId"))) {
            frame->url = string_of(params, "url");
            if (on_url_changed) on_url_changed(*frame);
        }
    });
    listen("Page.lifecycleEvent", [this, session](const json::object& params) {
        Frame* frame = find(string_of(params, "frameId"));
        if (!frame || frame->session != session) return;
        std::string step = string_of(params, "name"), loader = string_of(params, "loaderId");
        if (loader != frame->loader) return;
        frame->lifecycle.insert(step);
        if (on_lifecycle) on_lifecycle(*frame, step);
    });
    listen("Runtime.executionContextCreated", [this, session](const json::object& params) {
        const json::object* context = json::find_object(params, "context");
        const json::object* data = context ? json::find_object(*context, "auxData") : nullptr;
        auto id = context ? json::find_integer(*context, "id") : std::nullopt;
        if (!data || !id || !json::find_bool(*data, "isDefault").value_or(false)) return;
        // May come before the frame tree does.
        ensure(string_of(*data, "frameId"), "", session).page_context = static_cast<int>(*id);
    });
    listen("Runtime.executionContextDestroyed", [this, session](const json::object& params) {
        auto id = json::find_integer(params, "executionContextId");
        for (auto& [name, frame] : frames_) {
            if (frame.session != session) continue;
            if (frame.page_context == id) frame.page_context.reset();
            if (frame.troupe_context == id) frame.troupe_context.reset();
        }
    });
    listen("Runtime.executionContextsCleared", [this, session](const json::object&) {
        for (auto& [name, frame] : frames_) {
            if (frame.session != session) continue;
            frame.page_context.reset();
            frame.troupe_context.reset();
        }
    });
}

Task<int> Frames::make_world(std::string id, std::shared_ptr<Session> session) {
    json::value made =
        co_await session->send("Page.createIsolatedWorld",
                               {{"frameId", id}, {"worldName", kWorldName}, {"grantUniveralAccess", true}});
    int context = static_cast<int>(made.at("executionContextId").to_number<std::int64_t>());
    json::value loaded =
        co_await session->send("Runtime.evaluate", {{"expression", page::script()}, {"contextId", context}});
    if (const json::object* details = json::find_object(loaded.as_object(), "exceptionDetails"))
        co_return error_from(*details);
    co_return context;
}

void Frames::prepare_world(Frame& frame) {
    if (frame.troupe_context || frame.preparing || !frame.session) return;
    auto ready = frame.preparing = std::make_shared<SharedResult<int>>(frame.session->loop());
    std::string id = frame.id;
    std::uint64_t number = ++last_preparing_;
    Running running = start(make_world(id, frame.session), [this, id, ready, number](Result<int> context) {
        Frame* still = find(id);
        if (still && still->preparing == ready) {
            still->preparing = nullptr;
            if (context) {
                still->troupe_context = *context;
                still->has_more = false;
            }
        }
        ready->set(std::move(context));
        preparing_.erase(number);
    });
    if (!running.done()) preparing_.emplace(number, std::move(running));
}

// Without waiting: what is sent later runs later.
void Frames::load_more(Frame& frame) {
    if (!frame.troupe_context || std::exchange(frame.has_more, true)) return;
    frame.session->post("Runtime.evaluate",
                        {{"expression", page::more_script()}, {"contextId", *frame.troupe_context}});
}

void Frames::load_more_soon(const Frame& frame) {
    if (frame.id != main_ || frame.has_more || !loading_more_.done()) return;
    loading_more_ = start(load_more_later(frame.session), [](Result<void>) {});
}

Task<> Frames::load_more_later(std::shared_ptr<Session> session) {
    do {
        co_await sleep_for(session->loop(), kMoment);
    } while (is_crowded && is_crowded());
    if (Frame* frame = main()) load_more(*frame);
}

Task<int> Frames::troupe_world(std::string id) {
    Frame* frame = find(id);
    if (!frame) co_return frame_gone();
    if (frame->troupe_context) co_return *frame->troupe_context;
    prepare_world(*frame);
    if (frame->troupe_context) co_return *frame->troupe_context;
    auto ready = frame->preparing;
    if (!ready) co_return frame_gone();
    co_return co_await ready->get();
}

Task<json::value> Frames::run(std::shared_ptr<Session> session, int context, std::string function,
                              std::vector<Argument> arguments, bool by_value) {
    json::array list;
    for (const Argument& argument : arguments) {
        if (argument.element) {
            list.push_back(json::object{{"objectId", argument.element->object}});
        } else {
            list.push_back(json::object{{"value", argument.value}});
        }
    }
    json::value answer = co_await session->send("Runtime.callFunctionOn", {{"functionDeclaration", function},
                                                                           {"executionContextId", context},
                                                                           {"arguments", std::move(list)},
                                                                           {"returnByValue", by_value},
                                                                           {"awaitPromise", true},
                                                                           {"userGesture", true}});
    if (const json::object* details = json::find_object(answer.as_object(), "exceptionDetails"))
        co_return error_from(*details);
    co_return answer.at("result");
}

namespace {

// Whether the document went away under a call; a new one will take it.
bool is_stale(const Error& error) {
    for (std::string_view sign :
         {"Execution context was destroyed", "Cannot find context", "Inspected target navigated or closed",
          "uniqueContextId not found", "No frame for given id", "Frame with the given",
          "not find execution context"}) {
        if (error.message.find(sign) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

Task<json::value> Frames::run_in_world(std::string id, std::string function, std::vector<Argument> arguments,
                                       bool by_value, Scripts scripts) {
    bool takes_element = std::any_of(arguments.begin(), arguments.end(),
                                     [](const Argument& each) { return each.element != nullptr; });
    function = "async (...given) => { try { return await (" + function +
               ")(...given); } catch (thrown) { throw troupe.asThrown?.(thrown) ?? thrown; } }";
    constexpr int kMostTries = 50;
    for (int tries = 0;; ++tries) {
        auto context = co_await as_result(troupe_world(id));
        Result<json::value> result = Error{};
        if (context) {
            Frame* frame = find(id);
            if (!frame) co_return frame_gone();
            if (scripts == Scripts::All) load_more(*frame);
            result = co_await as_result(run(frame->session, *context, function, arguments, by_value));
            // What follows a snapshot of the page is most likely an action.
            if (const Frame* after = find(id)) load_more_soon(*after);
        } else {
            result = context.error();
        }
        if (result || !is_stale(result.error())) co_return std::move(result);
        // An element of the old document is in none of the new one.
        if (takes_element || tries == kMostTries) co_return frame_gone();
        Frame* frame = find(id);
        if (!frame) co_return frame_gone();
        if (context && frame->troupe_context == *context) frame->troupe_context.reset();
        // The new document is being put in place: give the browser a moment for that.
        co_await sleep_for(frame->session->loop(), std::chrono::milliseconds(5));
    }
}

Task<json::value> Frames::call(std::string id, std::string function, std::vector<Argument> arguments,
                               Scripts scripts) {
    json::value result =
        co_await run_in_world(std::move(id), std::move(function), std::move(arguments), true, scripts);
    const json::value* value = json::find(result, "value");
    co_return value ? *value : json::value(nullptr);
}

Task<std::shared_ptr<RemoteElement>> Frames::call_for_element(std::string id, std::string function,
                                                              std::vector<Argument> arguments) {
    json::value result =
        co_await run_in_world(id, std::move(function), std::move(arguments), false, Scripts::All);
    Frame* frame = find(id);
    if (!frame) co_return frame_gone();
    std::string object = string_of(result.as_object(), "objectId");
    if (object.empty()) co_return std::shared_ptr<RemoteElement>();
    co_return std::make_shared<RemoteElement>(frame->session, id, object);
}

Task<json::value> Frames::call_in_page(std::string id, std::string function,
                                       std::vector<Argument> arguments) {
    Frame* frame = find(id);
    if (!frame || !frame->page_context) co_return frame_gone();
    co_return co_await run(frame->session, *frame->page_context, std::move(function), std::move(arguments),
                           true);
}

Task<std::shared_ptr<RemoteElement>> Frames::to_page_world(const RemoteElement& element) {
    Frame* frame = find(element.frame);
    if (!frame || !frame->page_context) co_return frame_gone();
    auto session = element.session;
    std::string frame_id = element.frame;
    int context = *frame->page_context;
    json::value node = co_await session->send("DOM.describeNode", {{"objectId", element.object}});
    json::value resolved = co_await session->send(
        "DOM.resolveNode",
        {{"backendNodeId", node.at("node").at("backendNodeId")}, {"executionContextId", context}});
    co_return std::make_shared<RemoteElement>(session, frame_id,
                                              string_of(resolved.at("object").as_object(), "objectId"));
}

Task<std::optional<std::string>> Frames::content_frame(const RemoteElement& element) {
    json::value node = co_await element.session->send("DOM.describeNode", {{"objectId", element.object}});
    if (auto id = json::find_string(node.at("node").as_object(), "frameId"))
        co_return std::optional<std::string>(*id);
    co_return std::optional<std::string>();
}

}  // namespace cdp
