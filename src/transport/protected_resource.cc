#include "transport/protected_resource.h"

#include <array>

#include "util/strings.h"

namespace transport {
namespace {

constexpr std::array<std::string_view, 4> kResources{"/mcp", "/sse", "/ws", "/api"};

// The characters that a quoted string of a challenge may contain.
std::string quoted_string(std::string_view text) {
    std::string safe = "\"";
    for (char c : text) {
        bool is_plain = c >= 0x20 && c < 0x7F;
        safe += c == '"' || c == '\\' ? '\'' : is_plain ? c : '?';
    }
    return safe + "\"";
}

}  // namespace

std::optional<std::string_view> resource_path(std::string_view path) {
    if (path.empty() || path == "/") return "";
    if (path == "/messages") return "/sse";
    for (std::string_view resource : kResources) {
        if (path.starts_with(resource) && (path.size() == resource.size() || path[resource.size()] == '/'))
            return resource;
    }
    return std::nullopt;
}

std::vector<std::string> resource_identifiers(const std::string& base) {
    // Clients that treat it as a URL add a path to the server itself.
    std::vector<std::string> identifiers{base, base + "/"};
    for (std::string_view resource : kResources) identifiers.push_back(base + std::string(resource));
    return identifiers;
}

json::object resource_metadata(const ProtectedResource& resource, const std::string& base,
                               std::string_view path) {
    json::object metadata{{"resource", base + std::string(path)},
                          {"authorization_servers", json::array{resource.issuer}},
                          {"bearer_methods_supported", json::array{"header"}},
                          {"resource_name", "Troupe"}};
    if (!resource.scopes.empty())
        metadata["scopes_supported"] = json::array(resource.scopes.begin(), resource.scopes.end());
    return metadata;
}

std::string bearer_challenge(const ProtectedResource& resource, const std::string& base,
                             std::string_view path, std::string_view error, std::string_view description) {
    std::string url =
        base + std::string(kResourceMetadataPath) + std::string(resource_path(path).value_or(""));
    std::string challenge = "Bearer resource_metadata=" + quoted_string(url);
    if (!resource.scopes.empty()) challenge += ", scope=" + quoted_string(join(resource.scopes, " "));
    if (!error.empty())
        challenge += ", error=" + quoted_string(error) + ", error_description=" + quoted_string(description);
    return challenge;
}

}  // namespace transport
