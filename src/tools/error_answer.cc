#include "tools/error_answer.h"

#include "util/error_codes.h"
#include "util/strings.h"

namespace tools {
namespace {

json::object schema_of(std::string_view type) { return {{"type", type}}; }

}  // namespace

json::object error_answer(const Error& error) {
    // What follows the first line is the log of what was tried.
    std::size_t end = std::min(error.message.find('\n'), error.message.size());
    std::string details = error.details;
    if (details.empty()) details = trim(std::string_view(error.message).substr(end));
    const ErrorCodeInfo& info = about(error.code);
    return {{"error",
             json::object{{"code", info.name},
                          {"message", error.message.substr(0, end)},
                          {"details", details},
                          {"retryable", info.retryable},
                          {"suggestion", error.hint.empty() ? std::string(info.suggestion) : error.hint}}}};
}

ToolResult structured(const Error& error) {
    json::object answer = error_answer(error);
    ToolResult result = ToolResult::error(json::serialize(answer));
    result.structured = std::move(answer);
    result.own_words = is_own(error);
    return result;
}

json::object answer_schema(json::object data) {
    return {
        {"type", "object"},
        {"properties",
         json::object{
             {"success", json::object{{"const", true}}},
             {"data", std::move(data)},
             {"error", json::object{{"type", "object"},
                                    {"properties", json::object{{"code", schema_of("string")},
                                                                {"message", schema_of("string")},
                                                                {"details", schema_of("string")},
                                                                {"retryable", schema_of("boolean")},
                                                                {"suggestion", schema_of("string")}}}}}}}};
}

}  // namespace tools
