// The metadata of this server as an OAuth 2.1 resource server: RFC 9728, RFC 6750.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"

namespace transport {

inline constexpr std::string_view kResourceMetadataPath = "/.well-known/oauth-protected-resource";

struct ProtectedResource {
    // The prefix of our paths in clients' URLs: "https://troupe.example.com". Empty: the loopback host that
    // each client names, because only this machine can reach us then.
    std::string base = {};
    std::string issuer;
    std::vector<std::string> scopes = {};
};

// The path of the resource that is at `path` or contains it: "/mcp" for "/mcp/name", "" for the server
// itself. Nothing when there is none.
std::optional<std::string_view> resource_path(std::string_view path);
// All names for the resources of a server at `base` in the audience of a token.
std::vector<std::string> resource_identifiers(const std::string& base);

// Metadata of the resource at `path`, which tells clients where to get a token for it.
json::object resource_metadata(const ProtectedResource& resource, const std::string& base,
                               std::string_view path);

// The WWW-Authenticate value. `error` is OAuth's code for an invalid token; empty: no token was sent.
std::string bearer_challenge(const ProtectedResource& resource, const std::string& base,
                             std::string_view path, std::string_view error, std::string_view description);

}  // namespace transport
