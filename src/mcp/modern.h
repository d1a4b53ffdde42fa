// The stateless revision: each request brings its own envelope and, over HTTP, headers that repeat it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "mcp/message.h"
#include "mcp/request_context.h"
#include "tools/registry.h"

namespace mcp {

inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

// Whether a message declares itself to be of the stateless era.
bool has_modern_claim(const json::value& message);
bool has_modern_claim(const json::object& params);

bool is_modern_method(std::string_view method);

// A refusal with its HTTP status.
struct Rejection {
    RpcError error;
    int http_status = 400;
};

// Returns a request header's value by name, nothing when it is absent.
using HeaderLookup = std::function<std::optional<std::string_view>(std::string_view name)>;

// Checks a request's envelope and, if given, its headers. Returns the client's state or a refusal.
std::variant<std::shared_ptr<const ClientState>, Rejection> open_modern_request(
    const Request& request, const HeaderLookup* headers, const tools::Registry& registry,
    tools::Caller caller);

}  // namespace mcp
