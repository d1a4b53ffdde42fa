#include "engine/cdp/user_watch.h"

#include "engine/cdp/fields.h"
#include "page/script.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;
using engine::UserEvent;
using Kind = UserEvent::Kind;

constexpr std::string_view kBinding = "troupeRecorded";
constexpr std::string_view kStop = "troupe.stopRecording()";
// Max number of queued events while the page is slow to resolve a frame's locator.
constexpr std::size_t kMaxWaiting = 1000;
constexpr auto kFrameTimeout = 2s;

std::string source_text(const std::string& language, const std::string& test_id_attribute) {
    json::object options{{"language", language}, {"testIdAttribute", test_id_attribute}};
    std::string text;
    for (std::string_view part : {page::script(), page::more_script(), page::recorder_script()})
        text.append(part).append("\n");
    return text + "troupe.startRecording(" + json::serialize(options) + ", step => " + std::string(kBinding) +
           "(JSON.stringify(step)));";
}

Kind kind_of(std::string_view name) {
    static const std::map<std::string_view, Kind> kKinds = {
        {"click", Kind::Click}, {"check", Kind::Check},   {"uncheck", Kind::Uncheck},  {"fill", Kind::Fill},
        {"press", Kind::Press}, {"select", Kind::Select}, {"setFiles", Kind::SetFiles}};
    auto it = kKinds.find(name);
    return it == kKinds.end() ? Kind::Lost : it->second;
}

engine::MouseButton button_of(std::string_view name) {
    if (name == "right") return engine::MouseButton::Right;
    return name == "middle" ? engine::MouseButton::Middle : engine::MouseButton::Left;
}

std::vector<std::string> texts_of(const json::object& step, std::string_view key) {
    std::vector<std::string> texts;
    if (const json::array* list = json::find_array(step, key)) {
        for (const json::value& each : *list) texts.emplace_back(each.as_string());
    }
    return texts;
}

std::vector<engine::Modifier> modifiers_of(const json::object& step) {
    static const std::map<std::string_view, engine::Modifier> kModifiers = {
        {"Alt", engine::Modifier::Alt},
        {"Control", engine::Modifier::Control},
        {"Meta", engine::Modifier::Meta},
        {"Shift", engine::Modifier::Shift}};
    std::vector<engine::Modifier> modifiers;
    for (const std::string& name : texts_of(step, "modifiers")) {
        if (auto it = kModifiers.find(name); it != kModifiers.end()) modifiers.push_back(it->second);
    }
    return modifiers;
}

UserEvent to_event(const json::object& step) {
    UserEvent event{.kind = kind_of(text_of(step, "name")),
                    .locator = text_of(step, "code"),
                    .text = text_of(step, step.contains("key") ? "key" : "text"),
                    .secret = text_of(step, "secret"),
                    .values = texts_of(step, "values"),
                    .click = {.button = button_of(text_of(step, "button")),
                              .count = integer_of(step, "count"),
                              .modifiers = modifiers_of(step)}};
    if (const json::object* point = json::find_object(step, "position"))
        event.position = engine::Point{number_of(*point, "x"), number_of(*point, "y")};
    return event;
}

}  // namespace

UserWatch::UserWatch(Loop& loop, Setup setup) : loop_(loop), setup_(std::move(setup)) {}

UserWatch::~UserWatch() {
    for (const auto& source : sources_) {
        run(*source, kStop);
        if (!source->script.empty())
            source->session->post("Page.removeScriptToEvaluateOnNewDocument",
                                  {{"identifier", source->script}});
        source->session->post("Runtime.removeBinding", {{"name", kBinding}});
    }
}

void UserWatch::attach(const std::shared_ptr<Session>& session) {
    std::erase_if(sources_, [](const auto& source) { return source->session->is_closed(); });
    auto source = std::make_shared<Source>(session);
    sources_.push_back(source);
    Source* own = source.get();
    auto on = [&](const char* event, Session::Handler handler) {
        source->subscriptions.push_back(session->on(event, std::move(handler)));
    };
    on("Runtime.executionContextCreated",
       [this, own](const json::object& params) { take_world(*own, params); });
    on("Runtime.executionContextDestroyed", [own](const json::object& params) {
        own->worlds.erase(json::find_integer(params, "executionContextId").value_or(0));
    });
    on("Runtime.executionContextsCleared", [own](const json::object&) { own->worlds.clear(); });
    on("Page.documentOpened", [own](const json::object& params) {
        const json::object* frame = json::find_object(params, "frame");
        if (frame) run(*own, "troupe.resumeRecording()", text_of(*frame, "id"));
    });
    on("Runtime.bindingCalled", [this, own](const json::object& params) { take_call(*own, params); });
    session->post("Runtime.addBinding", {{"name", kBinding}, {"executionContextName", setup_.world}});
    session->relay("Page.addScriptToEvaluateOnNewDocument",
                   {{"source", source_text(setup_.language, setup_.test_id_attribute)},
                    {"worldName", setup_.world},
                    {"runImmediately", true}},
                   [weak = std::weak_ptr(source)](const json::object& answer) {
                       auto installed = weak.lock();
                       if (!installed) return;
                       if (const json::object* result = json::find_object(answer, "result"))
                           installed->script = text_of(*result, "identifier");
                       installed->installed.set(ok());
                   });
}

void UserWatch::take_world(Source& source, const json::object& params) const {
    const json::object* context = json::find_object(params, "context");
    const json::object* data = context ? json::find_object(*context, "auxData") : nullptr;
    if (!data || text_of(*context, "name") != setup_.world) return;
    source.worlds[json::find_integer(*context, "id").value_or(0)] = text_of(*data, "frameId");
}

void UserWatch::take_call(const Source& source, const json::object& params) {
    auto world = source.worlds.find(json::find_integer(params, "executionContextId").value_or(0));
    if (text_of(params, "name") != kBinding || world == source.worlds.end()) return;
    auto step = json::parse(text_of(params, "payload"));
    if (!step || !step->is_object()) return;
    Waiting waiting{.event = to_event(step->get_object())};
    if (world->second != setup_.main_frame) {
        waiting.frame = world->second;
        waiting.selector = text_of(step->get_object(), "selector");
    }
    add(std::move(waiting));
}

void UserWatch::add(Waiting waiting) {
    if (queue_.size() >= kMaxWaiting) waiting = {.event = {.kind = Kind::Lost}};
    queue_.push_back(std::move(waiting));
    if (!notifying_.done()) return;
    notifying_ = start(notify_all(), [this](Result<void>) {
        for (const auto& waiter : std::exchange(idle_waiters_, {})) waiter.set(true);
    });
}

Task<> UserWatch::notify_all() {
    while (!queue_.empty()) {
        Waiting next = std::move(queue_.front());
        queue_.pop_front();
        if (!next.frame.empty()) {
            // Without an answer, the frame's own description of its position is used.
            auto whole = co_await as_result(with_deadline(loop_, setup_.locator_in(next.frame, next.selector),
                                                          Deadline::in(kFrameTimeout), "Naming the frame"));
            if (whole) next.event.locator = std::move(*whole);
        }
        setup_.callback(std::move(next.event));
    }
}

Task<> UserWatch::idle() {
    while (!notifying_.done()) {
        Completion<bool> idle(loop_);
        idle_waiters_.push_back(idle);
        co_await idle;
    }
}

Task<> UserWatch::ready(Deadline deadline) {
    auto self = shared_from_this();
    for (const auto& source : std::vector(sources_))
        co_await with_deadline(loop_, source->installed.get(), deadline, "Watching the page");
}

void UserWatch::run(const Source& source, std::string_view expression, std::string_view in_frame) {
    for (const auto& [world, frame] : source.worlds) {
        if (in_frame.empty() || frame == in_frame)
            source.session->post("Runtime.evaluate", {{"expression", expression}, {"contextId", world}});
    }
}

Task<> UserWatch::remove(std::shared_ptr<Source> source) {
    co_await source->installed.get();
    run(*source, kStop);
    // The answer arrives after all events of the script.
    (void)co_await as_result(
        source->session->send("Page.removeScriptToEvaluateOnNewDocument", {{"identifier", source->script}}));
    source->session->post("Runtime.removeBinding", {{"name", kBinding}});
}

Task<> UserWatch::finish(Deadline deadline) {
    auto self = shared_from_this();
    for (const auto& source : std::vector(sources_)) {
        auto removed =
            co_await as_result(with_deadline(loop_, remove(source), deadline, "Looking away from the page"));
        // A session that hangs is left to the destructor.
        if (removed) std::erase(sources_, source);
    }
    co_await with_deadline(loop_, idle(), deadline, "Telling what was done");
}

}  // namespace cdp
