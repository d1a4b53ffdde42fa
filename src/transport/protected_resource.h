// This server as an OAuth 2.1 resource server describes itself: RFC 9728, RFC 6750.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"

namespace transport {

inline constexpr std::string_view kResourceMetadataPath = "/.well-known/oauth-protected-resource";

struct ProtectedResource {
    // What clients put before our paths: "https://troupe.example.com". Empty: the loopback host that each of
    // them names, for only this machine reaches us then.
    std::string base = {};
    std::string issuer;
    std::vector<std::string> scopes = {};
};

// The path of the resource that is at `path` or around it: "/mcp" for "/mcp/name", "" for the server itself.
// Nothing when there is none.
std::optional<std::string_view> resource_path(std::string_view path);
// All that the resources of a server at `base` are called in the audience of a token.
std::vector<std::string> resource_identifiers(const std::string& base);

// What the resource at `path` tells clients, so that they know where to get a token for it.
json::object resource_metadata(const ProtectedResource& resource, const std::string& base,
                               std::string_view path);

// For WWW-Authenticate. `error` is OAuth's word for what is wrong with the token; empty: there was none.
std::string bearer_challenge(const ProtectedResource& resource, const std::string& base,
                             std::string_view path, std::string_view error, std::string_view description);

}  // namespace transport
