#include "tools/client.h"

namespace tools {

InputRequest elicit(std::string key, std::string_view message, json::object requested_schema) {
    return {
        .key = std::move(key),
        .method = "elicitation/create",
        .params = {{"message", message}, {"requestedSchema", std::move(requested_schema)}},
    };
}

InputRequest sample(std::string key, std::string_view prompt, int max_tokens) {
    json::object message{{"role", "user"}, {"content", json::object{{"type", "text"}, {"text", prompt}}}};
    return {
        .key = std::move(key),
        .method = "sampling/createMessage",
        .params = {{"messages", json::array{std::move(message)}}, {"maxTokens", max_tokens}},
    };
}

InputRequest list_roots(std::string key) {
    return {.key = std::move(key), .method = "roots/list", .params = {}};
}

}  // namespace tools
