// JSON-RPC 2.0 messages, as MCP uses them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "util/json.h"

namespace mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kServerError = -32000;         // legacy transports' refusals
inline constexpr int kSessionNotFound = -32001;     // legacy HTTP
inline constexpr int kResourceNotFound = -32002;    // legacy
inline constexpr int kHeaderMismatch = -32020;      // modern
inline constexpr int kMissingCapability = -32021;   // modern
inline constexpr int kUnsupportedVersion = -32022;  // modern

// A string or an integer; keeps which of the two it was.
using RequestId = std::variant<std::int64_t, std::string>;
std::string to_json(const RequestId& id);
std::optional<RequestId> parse_request_id(const json::value& value);

struct RpcError {
    int code = kInternalError;
    std::string message;
    std::optional<json::value> data = std::nullopt;
};

struct Request {
    RequestId id;
    std::string method;
    json::object params;
};
struct Notification {
    std::string method;
    json::object params;
};
struct Response {
    RequestId id;
    std::variant<json::value, RpcError> outcome;
};
using Message = std::variant<Request, Notification, Response>;

// A message that could not be understood: the error to answer with, and the id if it could be read.
struct BadMessage {
    RpcError error;
    std::optional<RequestId> id;
};

// Returns nothing when `value` has the shape of a message, else what is wrong with it.
std::optional<BadMessage> check_message(const json::value& value);
// Parses one message.
std::variant<Message, BadMessage> parse_message(json::value value);

// Serialize whole messages. `result` and `params` are JSON texts themselves.
std::string make_response(const RequestId& id, std::string_view result);
std::string make_error(const std::optional<RequestId>& id, const RpcError& error);
std::string make_request(const RequestId& id, std::string_view method, std::string_view params);
std::string make_notification(std::string_view method, std::string_view params);

}  // namespace mcp
