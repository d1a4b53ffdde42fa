#include "mcp/message.h"

#include "mcp/version.h"

namespace mcp {

bool is_legacy_version(std::string_view version) {
    return std::find(kLegacyVersions.begin(), kLegacyVersions.end(), version) != kLegacyVersions.end();
}

bool is_modern_version(std::string_view version) {
    if (version.size() != 10 || version[4] != '-' || version[7] != '-') return false;
    bool digits = std::all_of(version.begin(), version.end(),
                              [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
    return digits && version >= kModernVersion;
}

std::string to_json(const RequestId& id) {
    if (const auto* number = std::get_if<std::int64_t>(&id)) return std::to_string(*number);
    std::string text;
    json::append_string(text, std::get<std::string>(id));
    return text;
}

std::optional<RequestId> parse_request_id(const json::value& value) {
    if (value.is_string()) return RequestId(std::string(value.get_string()));
    if (auto number = json::as_integer(value)) return RequestId(*number);
    return std::nullopt;
}

namespace {

BadMessage bad(std::string message, std::optional<RequestId> id = std::nullopt) {
    return {RpcError{.code = kInvalidRequest, .message = "Invalid Request: " + std::move(message)},
            std::move(id)};
}

RpcError parse_error_object(const json::value& value) {
    RpcError error{.code = kInternalError, .message = "Unknown error"};
    const auto* members = value.if_object();
    if (!members) return error;
    if (auto code = json::find_integer(*members, "code")) error.code = static_cast<int>(*code);
    if (auto message = json::find_string(*members, "message")) error.message = *message;
    if (const json::value* data = json::find(*members, "data")) error.data = *data;
    return error;
}

}  // namespace

std::optional<BadMessage> check_message(const json::value& value) {
    const auto* members = value.if_object();
    if (!members) return bad("a message is a JSON object");
    const json::value* id_value = members->if_contains("id");
    auto id = id_value ? parse_request_id(*id_value) : std::nullopt;
    if (json::find_string(*members, "jsonrpc") != "2.0") return bad("\"jsonrpc\" must be \"2.0\"", id);
    if (id_value && !id) return bad("\"id\" must be a string or an integer");
    if (const json::value* method = members->if_contains("method")) {
        if (!method->is_string()) return bad("\"method\" must be a string", id);
        const json::value* params = members->if_contains("params");
        if (params && !params->is_object()) return bad("\"params\" must be an object", id);
    } else if (!id) {
        return bad("neither a method nor an id");
    } else if (!members->contains("result") && !members->contains("error")) {
        return bad("neither a method, a result nor an error", id);
    }
    return std::nullopt;
}

std::variant<Message, BadMessage> parse_message(json::value value) {
    if (auto problem = check_message(value)) return std::move(*problem);
    json::object& members = value.get_object();
    const json::value* id_value = members.if_contains("id");
    auto id = id_value ? parse_request_id(*id_value) : std::nullopt;
    if (const json::value* method = members.if_contains("method")) {
        json::value* given = members.if_contains("params");
        json::object params = given ? std::move(given->get_object()) : json::object();
        std::string name(method->get_string());
        if (!id) return Message(Notification{std::move(name), std::move(params)});
        return Message(Request{std::move(*id), std::move(name), std::move(params)});
    }
    if (json::value* result = members.if_contains("result"))
        return Message(Response{std::move(*id), std::move(*result)});
    return Message(Response{std::move(*id), parse_error_object(*members.if_contains("error"))});
}

std::string make_response(const RequestId& id, std::string_view result) {
    std::string text = R"({"jsonrpc":"2.0","id":)";
    text.reserve(text.size() + result.size() + 40);
    text.append(to_json(id)).append(R"(,"result":)").append(result).append("}");
    return text;
}

std::string make_error(const std::optional<RequestId>& id, const RpcError& error) {
    std::string text = R"({"jsonrpc":"2.0","id":)";
    text.append(id ? to_json(*id) : "null").append(R"(,"error":{"code":)").append(std::to_string(error.code));
    text += R"(,"message":)";
    json::append_string(text, error.message);
    if (error.data) text.append(R"(,"data":)").append(json::serialize(*error.data));
    return text + "}}";
}

std::string make_request(const RequestId& id, std::string_view method, std::string_view params) {
    std::string text = R"({"jsonrpc":"2.0","id":)";
    text.append(to_json(id)).append(R"(,"method":)");
    json::append_string(text, method);
    if (!params.empty()) text.append(R"(,"params":)").append(params);
    return text + "}";
}

std::string make_notification(std::string_view method, std::string_view params) {
    std::string text = R"({"jsonrpc":"2.0","method":)";
    json::append_string(text, method);
    if (!params.empty()) text.append(R"(,"params":)").append(params);
    return text + "}";
}

}  // namespace mcp
