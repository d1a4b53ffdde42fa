#include "engine/cdp/console_log.h"

#include <charconv>

#include "engine/cdp/fields.h"
#include "util/shorten.h"
#include "util/strings.h"

namespace cdp {
namespace {

constexpr std::size_t kMaxEntries = 1000;
constexpr std::size_t kMaxText = 1UL << 20;    // per entry
constexpr std::size_t kMaxBytes = 16UL << 20;  // for all entries
// The browser keeps logged objects alive for us; a few are not worth a command to release them.
constexpr int kMaxHeldObjects = 50;

std::size_t size_of(const engine::ConsoleEntry& entry) {
    return entry.text.size() + entry.stack.size() + entry.url.size();
}

std::chrono::system_clock::time_point time_of(const json::object& from) {
    using std::chrono::system_clock;
    std::chrono::duration<double, std::milli> since_epoch(number_of(from, "timestamp"));
    return system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(since_epoch));
}

// `[1, empty x 3, 5]`: indexes missing in the preview were never set.
std::string array_text(const json::array& properties) {
    std::map<std::uint32_t, std::string> items;
    for (const json::value& property : properties) {
        const json::object& item = property.as_object();
        std::string name = text_of(item, "name");
        std::uint32_t index = 0;
        auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
        if (error == std::errc() && end == name.data() + name.size()) items[index] = text_of(item, "value");
    }
    std::vector<std::string> parts;
    std::uint32_t next = 0;
    for (const auto& [index, text] : items) {
        if (index == next + 1) parts.emplace_back("empty");
        if (index > next + 1) parts.push_back("empty x " + std::to_string(index - next));
        parts.push_back(text);
        next = index + 1;
    }
    return "[" + join(parts, ", ") + "]";
}

std::string object_text(const json::array& properties) {
    std::vector<std::string> parts;
    for (const json::value& property : properties) {
        const json::object& item = property.as_object();
        parts.push_back(text_of(item, "name") + ": " +
                        std::string(json::find_string(item, "value").value_or("undefined")));
    }
    return "{" + join(parts, ", ") + "}";
}

std::string value_text(const json::object& object, const json::value& value) {
    if (value.is_string()) return std::string(value.as_string());
    // The browser's own formatting of the number.
    if (value.is_number()) return text_of(object, "description");
    return json::serialize(value);
}

// One argument, as Runtime.RemoteObject describes it.
std::string argument_text(const json::object& object) {
    std::string type = text_of(object, "type");
    std::string subtype = text_of(object, "subtype");
    if (type == "undefined") return type;
    if (const json::value* value = json::find(object, "value")) return value_text(object, *value);
    if (auto value = json::find_string(object, "unserializableValue"))
        return *value == "-0" ? "0" : std::string(*value);
    if (subtype == "node") return "JSHandle@node";
    std::string description = text_of(object, "description");
    const json::object* preview = json::find_object(object, "preview");
    const json::array* properties = preview ? json::find_array(*preview, "properties") : nullptr;
    if (properties && description == "Object") return object_text(*properties);
    if (properties && subtype == "array") return array_text(*properties);
    if (!description.empty()) return description;
    return "JSHandle@" + (subtype.empty() ? type : subtype);
}

void locate(engine::ConsoleEntry& entry, const json::object& from) {
    const json::object* stack = json::find_object(from, "stackTrace");
    const json::array* frames = stack ? json::find_array(*stack, "callFrames") : nullptr;
    if (!frames || frames->empty()) return;
    const json::object& frame = frames->front().as_object();
    entry.url = text_of(frame, "url");
    entry.line = integer_of(frame, "lineNumber");
    entry.column = integer_of(frame, "columnNumber");
}

// Splits "TypeError: no such thing\n    at f (…)" into message and location.
void describe_error(engine::ConsoleEntry& entry, std::string text) {
    std::size_t stack = text.starts_with("    at") ? 0 : text.find("\n    at");
    std::string head = text.substr(0, stack);
    // The name before the colon is removed, as in an Error's message.
    std::size_t colon = head.find(':');
    if (colon != std::string::npos && colon + 2 <= head.size()) head.erase(0, colon + 2);
    entry.text = std::move(head);
    entry.stack = stack == std::string::npos ? entry.text : std::move(text);
}

}  // namespace

std::string console_text(const json::array& arguments) {
    std::vector<std::string> parts;
    for (const json::value& argument : arguments) parts.push_back(argument_text(argument.as_object()));
    return join(parts, " ");
}

std::string exception_text(const json::object& details) {
    if (const json::object* exception = json::find_object(details, "exception")) {
        std::string description = text_of(*exception, "description");
        return description.empty() ? argument_text(*exception) : description;
    }
    std::string text = text_of(details, "text");
    const json::object* stack = json::find_object(details, "stackTrace");
    const json::array* frames = stack ? json::find_array(*stack, "callFrames") : nullptr;
    if (!frames) return text;
    for (const json::value& each : *frames) {
        const json::object& frame = each.as_object();
        std::string function = text_of(frame, "functionName");
        text += "\n    at " + (function.empty() ? "<anonymous>" : function) + " (" + text_of(frame, "url") +
                ":" + std::to_string(integer_of(frame, "lineNumber")) + ":" +
                std::to_string(integer_of(frame, "columnNumber")) + ")";
    }
    return text;
}

void ConsoleLog::attach(const std::shared_ptr<Session>& session, SessionKind kind) {
    std::erase_if(sources_, [](const auto& source) { return source->session->is_closed(); });
    auto& source = *sources_.emplace_back(std::make_unique<Source>());
    source.session = session;
    auto listen = [&](std::string event, void (ConsoleLog::*take)(Source&, const json::object&)) {
        source.subscriptions.push_back(session->on(
            std::move(event),
            [this, &source, take](const json::object& params) { (this->*take)(source, params); }));
    };
    listen("Runtime.consoleAPICalled", &ConsoleLog::take_call);
    listen("Runtime.exceptionThrown", &ConsoleLog::take_exception);
    if (kind == SessionKind::Worker || kind == SessionKind::ServiceWorker) return;
    listen("Log.entryAdded", &ConsoleLog::take_log_entry);
    session->post("Log.enable");
}

void ConsoleLog::take_call(Source& source, const json::object& params) {
    // Skip old messages of past documents, which are sent again when the session begins.
    if (number_of(params, "executionContextId") == 0) return;
    const json::array* arguments = json::find_array(params, "args");
    engine::ConsoleEntry entry{.type = text_of(params, "type"), .time = time_of(params)};
    if (arguments) {
        entry.text = console_text(*arguments);
        for (const json::value& argument : *arguments) {
            if (argument.as_object().contains("objectId")) hold_object(source);
        }
    }
    locate(entry, params);
    add(std::move(entry));
}

void ConsoleLog::take_exception(Source& source, const json::object& params) {
    const json::object* details = json::find_object(params, "exceptionDetails");
    if (!details) return;
    engine::ConsoleEntry entry{.type = "error", .time = time_of(params), .uncaught = true};
    describe_error(entry, exception_text(*details));
    locate(entry, *details);
    const json::object* exception = json::find_object(*details, "exception");
    if (exception && exception->contains("objectId")) hold_object(source);
    add(std::move(entry));
}

void ConsoleLog::take_log_entry(Source& source, const json::object& params) {
    const json::object* given = json::find_object(params, "entry");
    if (!given) return;
    if (given->contains("args")) hold_object(source);
    // Workers report on their own sessions.
    if (json::find_string(*given, "source") == "worker") return;
    engine::ConsoleEntry entry{.type = text_of(*given, "level"),
                               .text = text_of(*given, "text"),
                               .url = text_of(*given, "url"),
                               .line = integer_of(*given, "lineNumber"),
                               .time = time_of(*given)};
    add(std::move(entry));
}

void ConsoleLog::hold_object(Source& source) {
    if (++source.held_objects < kMaxHeldObjects) return;
    source.held_objects = 0;
    source.session->post("Runtime.releaseObjectGroup", {{"objectGroup", "console"}});
}

void ConsoleLog::clear() {
    entries_.clear();
    bytes_ = 0;
    since_navigation_ = 0;
}

void ConsoleLog::add_error(std::string text) {
    add({.type = "error",
         .text = text,
         .time = std::chrono::system_clock::now(),
         .uncaught = true,
         .stack = "Error: " + text});
}

// A page that logs without end must not fill our memory or an answer.
void ConsoleLog::add(engine::ConsoleEntry entry) {
    for (std::string* text : {&entry.text, &entry.stack, &entry.url})
        *text = shortened(std::move(*text), kMaxText);
    bytes_ += size_of(entry);
    if (entries_.size() == kMaxEntries) drop_oldest(kMaxEntries / 10);
    entries_.push_back(std::move(entry));
    while (bytes_ > kMaxBytes && entries_.size() > 1) drop_oldest((entries_.size() + 9) / 10);
    // A copy: the listener may clear the log.
    if (on_entry_) on_entry_(engine::ConsoleEntry(entries_.back()));
}

void ConsoleLog::drop_oldest(std::size_t count) {
    auto end = entries_.begin() + static_cast<std::ptrdiff_t>(count);
    for (auto it = entries_.begin(); it != end; ++it) bytes_ -= size_of(*it);
    entries_.erase(entries_.begin(), end);
    since_navigation_ -= std::min(since_navigation_, count);
}

}  // namespace cdp
