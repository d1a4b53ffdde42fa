// Scripts in frames: their worlds, and calls that end with the document they were for.
#include <algorithm>

#include "engine/cdp/fields.h"
#include "engine/cdp/frames.h"
#include "page/script.h"

namespace cdp {
namespace {

// An agent thinks for longer than this between calls; a program does not wait that long.
constexpr std::chrono::milliseconds kMoment{100};
// While a document is being replaced, a call waits this long before each retry.
constexpr std::chrono::milliseconds kBetweenDocuments{5};
constexpr int kMaxTries = 50;

Error frame_gone() {
    return Error{.code = ErrorCode::ElementNotFound,
                 .message = "The frame was removed or navigated away.",
                 .hint = "Take a new snapshot and try again."};
}

// Playwright's message.
Error execution_context_destroyed() {
    return Error{.code = ErrorCode::InternalError,
                 .message = "Execution context was destroyed, most likely because of a navigation."};
}

// Whether no part of the call has run, because its context does not exist or is gone.
bool has_not_run(const Error& error) {
    for (std::string_view sign :
         {"Cannot find context", "uniqueContextId not found", "not find execution context"}) {
        if (error.message.contains(sign)) return true;
    }
    return false;
}

// Whether the document was replaced during a command; the new one can take the command.
bool is_stale(const Error& error) {
    if (has_not_run(error)) return true;
    for (std::string_view sign :
         {"Execution context was destroyed", "Inspected target navigated or closed", "No frame for given id",
          "Frame with the given", "belong to the same JavaScript world",
          "Could not find object with given id", "Could not find node with given id", "No node with given id",
          "Node with given id does not belong"}) {
        if (error.message.contains(sign)) return true;
    }
    return false;
}

// Converts an error thrown by our script (select_dom.js): {"troupe": {code, message}}.
std::optional<Error> own_error(std::string_view thrown) {
    if (!thrown.starts_with("{\"troupe\":")) return std::nullopt;
    auto parsed = json::parse(thrown);
    const json::object* own = parsed ? json::find_object(parsed->as_object(), "troupe") : nullptr;
    if (!own) return std::nullopt;
    Error error{.code = ErrorCode::InternalError, .message = text_of(*own, "message")};
    std::string code = text_of(*own, "code");
    if (code == "INVALID_SELECTOR" || code == "STRICT") error.code = ErrorCode::InvalidSelector;
    if (code == "ELEMENT_NOT_FOUND") error.code = ErrorCode::ElementNotFound;
    if (code == "ELEMENT_NOT_INTERACTIVE") error.code = ErrorCode::ElementNotInteractive;
    return error;
}

// Returns our script's error, or any error of the page.
Error error_from(const json::object& details) {
    const json::object* exception = json::find_object(details, "exception");
    Error error{.code = ErrorCode::InternalError, .message = text_of(details, "text")};
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

Task<std::shared_ptr<World>> Frames::make_world(std::string id, std::shared_ptr<Session> session) {
    json::value made =
        co_await session->send("Page.createIsolatedWorld",
                               {{"frameId", id}, {"worldName", kWorldName}, {"grantUniveralAccess", true}});
    int context = integer_of(made.as_object(), "executionContextId");
    Frame* frame = find(id);
    // The document was replaced before this answer was read.
    if (!frame || frame->session != session || !frame->isolated || frame->isolated->id != context)
        co_return execution_context_destroyed();
    auto world = std::make_shared<World>(World{.context = *frame->isolated, .number = frame->number});
    const std::string& unique = world->context.unique;
    // The script's text is the same for all documents, so it is compiled only once.
    Pending loading =
        session->begin("Runtime.evaluate", {{"expression", page::script()}, {"uniqueContextId", unique}});
    Pending claiming = session->begin(
        "Runtime.evaluate", {{"expression", "troupe.claimNumber(" + std::to_string(world->number) + ")"},
                             {"uniqueContextId", unique}});
    json::value loaded = co_await (co_await loading);
    if (const json::object* details = json::find_object(loaded.as_object(), "exceptionDetails"))
        co_return error_from(*details);
    json::value claimed = co_await (co_await claiming);
    world->number = integer_of(claimed.at("result").as_object(), "value");
    co_return world;
}

void Frames::prepare_world(Frame& frame) {
    if (frame.world || frame.preparing || !frame.session) return;
    auto ready = frame.preparing = std::make_shared<Frame::WorldResult>(frame.session->loop());
    std::string id = frame.id;
    auto made = [this, id, ready](Result<std::shared_ptr<World>> world) {
        Frame* still = find(id);
        if (still && still->preparing == ready) {
            still->preparing = nullptr;
            if (world && still->isolated && still->isolated->unique == (*world)->context.unique) {
                still->world = *world;
                still->number = (*world)->number;
            }
        }
        ready->set(std::move(world));
    };
    preparing_.add(make_world(id, frame.session), std::move(made));
}

// Does not wait: later commands run later.
void Frames::load_more(Session& session, World& world) {
    if (std::exchange(world.has_more, true)) return;
    session.post("Runtime.evaluate",
                 {{"expression", page::more_script()}, {"uniqueContextId", world.context.unique}});
}

void Frames::load_more_soon(const Frame& frame) {
    if (frame.id != main_ || !frame.world || frame.world->has_more || !loading_more_.done()) return;
    loading_more_ = start(load_more_later(frame.session), [](Result<void>) {});
}

Task<> Frames::load_more_later(std::shared_ptr<Session> session) {
    do {
        co_await sleep_for(session->loop(), kMoment);
    } while (is_crowded && is_crowded());
    if (Frame* frame = main(); frame && frame->world) load_more(*frame->session, *frame->world);
}

Task<std::shared_ptr<World>> Frames::troupe_world(std::string id) {
    Frame* frame = find(id);
    if (!frame) co_return frame_gone();
    prepare_world(*frame);
    if (frame->world) co_return frame->world;
    auto ready = frame->preparing;
    if (!ready) co_return frame_gone();
    co_return co_await ready->get();
}

Task<json::value> Frames::run(std::shared_ptr<Session> session, std::string context, std::string function,
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
                                                                           {"uniqueContextId", context},
                                                                           {"arguments", std::move(list)},
                                                                           {"returnByValue", by_value},
                                                                           {"awaitPromise", true},
                                                                           {"userGesture", true}});
    if (const json::object* details = json::find_object(answer.as_object(), "exceptionDetails"))
        co_return error_from(*details);
    co_return answer.at("result");
}

Task<Frames::Ran> Frames::run_in_world(std::string id, std::string function, std::vector<Argument> arguments,
                                       bool by_value, Scripts scripts) {
    auto element = std::find_if(arguments.begin(), arguments.end(),
                                [](const Argument& each) { return each.element != nullptr; });
    function = "async (...given) => { try { return await (" + function +
               ")(...given); } catch (thrown) { throw troupe.asThrown?.(thrown) ?? thrown; } }";
    for (int tries = 0;; ++tries) {
        auto world = co_await as_result(troupe_world(id));
        Frame* frame = find(id);
        if (!frame) co_return frame_gone();
        Result<json::value> result = Error{};
        if (world) {
            const std::string& unique = (*world)->context.unique;
            // The new document has no elements of the old one.
            if (element != arguments.end() && element->element->context != unique) co_return frame_gone();
            if (scripts == Scripts::All) load_more(*frame->session, **world);
            result = co_await as_result(run(frame->session, unique, function, arguments, by_value));
            // A snapshot of the page is most likely followed by an action.
            if (const Frame* after = find(id)) load_more_soon(*after);
            if (result) co_return Ran{std::move(*result), unique};
        } else {
            result = world.error();
        }
        if (!is_stale(result.error())) co_return result.error();
        if (element != arguments.end() || tries == kMaxTries) co_return frame_gone();
        frame = find(id);
        if (!frame) co_return frame_gone();
        if (world && frame->world == *world) frame->world.reset();
        co_await sleep_for(frame->session->loop(), kBetweenDocuments);
    }
}

Task<json::value> Frames::call(std::string id, std::string function, std::vector<Argument> arguments,
                               Scripts scripts) {
    Ran ran = co_await run_in_world(std::move(id), std::move(function), std::move(arguments), true, scripts);
    const json::value* value = json::find(ran.result, "value");
    co_return value ? *value : json::value(nullptr);
}

Task<std::shared_ptr<RemoteElement>> Frames::call_for_element(std::string id, std::string function,
                                                              std::vector<Argument> arguments) {
    Ran ran = co_await run_in_world(id, std::move(function), std::move(arguments), false, Scripts::All);
    Frame* frame = find(id);
    if (!frame) co_return frame_gone();
    std::string object = text_of(ran.result.as_object(), "objectId");
    if (object.empty()) co_return std::shared_ptr<RemoteElement>();
    co_return std::make_shared<RemoteElement>(frame->session, id, object, std::move(ran.context));
}

Task<json::value> Frames::call_in_page(std::string id, std::string function,
                                       std::vector<Argument> arguments) {
    bool takes_element = std::any_of(arguments.begin(), arguments.end(),
                                     [](const Argument& each) { return each.element != nullptr; });
    for (int tries = 0;; ++tries) {
        Frame* frame = find(id);
        if (!frame) co_return frame_gone();
        auto session = frame->session;
        Result<json::value> result = execution_context_destroyed();
        bool may_run = true;
        if (frame->page_context) {
            result = co_await as_result(run(session, frame->page_context->unique, function, arguments, true));
            if (result) co_return std::move(*result);
            may_run = has_not_run(result.error());
            if (is_stale(result.error())) result = execution_context_destroyed();
        }
        if (!may_run) co_return result.error();
        if (takes_element || tries == kMaxTries) co_return frame_gone();
        co_await sleep_for(session->loop(), kBetweenDocuments);
    }
}

Task<json::value> Frames::ask(std::shared_ptr<Session> session, std::string method, json::object params) {
    auto answer = co_await as_result(session->send(std::move(method), std::move(params)));
    if (!answer && is_stale(answer.error())) co_return frame_gone();
    co_return std::move(answer);
}

Task<std::shared_ptr<RemoteElement>> Frames::to_page_world(const RemoteElement& element) {
    Frame* frame = find(element.frame);
    if (!frame || !frame->page_context) co_return frame_gone();
    auto session = element.session;
    std::string frame_id = element.frame;
    ScriptContext context = *frame->page_context;
    json::value node = co_await ask(session, "DOM.describeNode", {{"objectId", element.object}});
    json::value resolved = co_await ask(
        session, "DOM.resolveNode",
        {{"backendNodeId", node.at("node").at("backendNodeId")}, {"executionContextId", context.id}});
    co_return std::make_shared<RemoteElement>(
        session, frame_id, text_of(resolved.at("object").as_object(), "objectId"), context.unique);
}

Task<std::shared_ptr<RemoteElement>> Frames::owner(std::string id) {
    Frame* frame = find(id);
    Frame* parent = frame ? find(frame->parent) : nullptr;
    if (!parent) co_return frame_gone();
    std::string parent_id = parent->id;
    auto session = parent->session;
    json::value owner = co_await ask(session, "DOM.getFrameOwner", {{"frameId", id}});
    auto world = co_await as_result(troupe_world(parent_id));
    if (!world) co_return frame_gone();
    json::value node = co_await ask(
        session, "DOM.resolveNode",
        {{"backendNodeId", owner.at("backendNodeId")}, {"executionContextId", (*world)->context.id}});
    co_return std::make_shared<RemoteElement>(
        session, parent_id, text_of(node.at("object").as_object(), "objectId"), (*world)->context.unique);
}

Task<std::optional<std::string>> Frames::content_frame(const RemoteElement& element) {
    json::value node = co_await ask(element.session, "DOM.describeNode", {{"objectId", element.object}});
    if (auto id = json::find_string(node.at("node").as_object(), "frameId"))
        co_return std::optional<std::string>(*id);
    co_return std::optional<std::string>();
}

}  // namespace cdp
