#include "tools/error_answer.h"

#include "util/error_codes.h"
#include "util/shorten.h"
#include "util/strings.h"

namespace tools {
namespace {

// The limit for repeating a caller's argument.
constexpr std::size_t kMaxSaidLength = 1000;

json::object schema_of(std::string_view type) { return {{"type", type}}; }

}  // namespace

json::object error_answer(const Error& error, json::object context) {
    // The lines after the first are the log of the attempts, unless the first line only introduces them.
    std::string message = error.message;
    std::size_t end = std::min(message.find('\n'), message.size());
    if (end > 0 && end < message.size() && message[end - 1] == ':') {
        message[end] = ' ';
        end = std::min(message.find('\n'), message.size());
    }
    json::object details = std::move(context);
    auto known = error.details.starts_with('{') ? json::parse(error.details) : Error{};
    if (known && known->is_object()) {
        for (const auto& [name, value] : known->get_object()) details[name] = value;
    } else if (!error.details.empty()) {
        details["cause"] = error.details;
    }
    std::string log(trim(std::string_view(message).substr(end)));
    if (!log.empty()) details["log"] = std::move(log);
    const ErrorCodeInfo& info = about(error.code);
    return {{"success", false},
            {"error",
             json::object{{"code", info.name},
                          {"message", message.substr(0, end)},
                          {"details", std::move(details)},
                          {"retryable", info.retryable},
                          {"suggestion", error.hint.empty() ? std::string(info.suggestion) : error.hint}}}};
}

json::object said_of(const json::value& arguments) {
    json::object said;
    const json::object* given = arguments.if_object();
    for (std::string_view name :
         {"selector", "source", "target", "url", "timeout", "sessionId", "session_id"}) {
        const json::value* value = given ? json::find(*given, name) : nullptr;
        if (!value || !(value->is_string() || value->is_number())) continue;
        said[name == "session_id" ? "sessionId" : name] =
            value->is_string() ? json::value(shortened(std::string(value->get_string()), kMaxSaidLength))
                               : *value;
    }
    return said;
}

ToolResult structured(const Error& error, json::object context) {
    json::object answer = error_answer(error, std::move(context));
    ToolResult result = ToolResult::error(json::serialize(answer));
    result.structured = std::move(answer);
    result.trusted = is_own(error);
    return result;
}

json::object object_schema(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
    json::object properties;
    for (const auto& [name, type] : members) properties[name] = json::object{{"type", type}};
    return {{"type", "object"}, {"properties", std::move(properties)}};
}

json::object answer_schema(json::object data) {
    return {
        {"type", "object"},
        {"properties",
         json::object{
             {"success", schema_of("boolean")},
             {"data", std::move(data)},
             {"error", json::object{{"type", "object"},
                                    {"properties", json::object{{"code", schema_of("string")},
                                                                {"message", schema_of("string")},
                                                                {"details", schema_of("object")},
                                                                {"retryable", schema_of("boolean")},
                                                                {"suggestion", schema_of("string")}}}}}}}};
}

}  // namespace tools
