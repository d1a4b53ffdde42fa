// Checks the Host, Origin and bearer token of every request to this listener.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "transport/http.h"
#include "transport/protected_resource.h"

namespace transport {

// Returns the principal that a bearer token stands for, or nothing for an unknown token.
using Authenticate = std::function<std::optional<std::string>(std::string_view token)>;

// Accepts a fixed token for each principal, compared in constant time.
Authenticate static_tokens(std::map<std::string, std::string> tokens);

// The authenticated sender of a request.
struct Identity {
    using Time = std::chrono::system_clock::time_point;

    std::string principal = {};            // empty: authentication is not required
    Time expires = Time::max();            // when the sender must authenticate again
    std::vector<std::string> scopes = {};  // of an OAuth access token
};

struct Refusal {
    int status;
    std::string message;
    std::string rule = {};   // the rule that refused a page, if a page may have sent it
    std::string error = {};  // OAuth's error code for the token: "invalid_token"
};

using Authenticated = std::variant<Identity, Refusal>;

// Accepts access tokens of an authorization server, besides the configured tokens.
struct OAuthAccess {
    ProtectedResource resource;
    // Returns the sender of a token issued for one of `audiences`. May have to ask the issuer first.
    std::function<Task<Authenticated>(std::string token, std::vector<std::string> audiences)> verify;
};

struct AccessOptions {
    std::string host = "localhost";            // the listener's bound host
    int port = 0;                              // the listener's actual port
    std::vector<std::string> allowed_hosts;    // more names, with or without port; "*" allows every one
    std::vector<std::string> allowed_origins;  // origins of pages that may call us: "https://app.example.com"
    Authenticate authenticate;                 // empty: no tokens were configured
    std::optional<OAuthAccess> oauth;          // empty: there is no authorization server

    // If false, requests need no authentication.
    bool needs_token() const { return authenticate || oauth; }
};

// Headers of every answer of the listener, for browsers that show it: no other page may frame, open, embed or
// script it, and it runs and loads nothing itself.
Headers browser_headers();
// The Content-Security-Policy of pages for people, which have styles and links of their own.
inline constexpr std::string_view kShownPagePolicy =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action "
    "'none'";

// Decides whether a request is allowed, without knowing what it asks for.
class Access {
public:
    explicit Access(AccessOptions options) : options_(std::move(options)) {}

    // Checks that the request comes from an allowed place: a page on the web cannot pass this.
    std::optional<Refusal> check_origin(const HttpExchange& exchange) const;
    // Refuses requests of our own browsers, and those that a page in another browser causes. Our own pages
    // have no scripts, so another page caused theirs. People may look at `shown` paths in browsers of their
    // own, unless another site's page led them there.
    std::optional<Refusal> check_browser(const HttpExchange& exchange, bool shown) const;
    // The origin whose pages may read the answer, or "*" where all may, if the sender is a page of an allowed
    // origin. Nothing for every other sender.
    std::optional<std::string> readable_by(const HttpExchange& exchange) const;
    // Authenticates the sender. Unix sockets are guarded by their file mode and need no token. The exchange
    // and this outlive the task, which is done at once unless an authorization server has to be asked.
    Task<Authenticated> authenticate(const HttpExchange& exchange) const;
    // The WWW-Authenticate value for a refused request.
    std::string challenge(const HttpExchange& exchange, const Refusal& refusal) const;
    // Tells clients where to get a token for the resource at `path`; nothing where there is no such resource
    // or no authorization server.
    std::optional<json::object> resource_metadata(const HttpExchange& exchange, std::string_view path) const;

private:
    bool allows_host(std::string_view host) const;
    // The base URL that the client puts before our paths.
    std::string base_of(const HttpExchange& exchange) const;

    AccessOptions options_;
};

}  // namespace transport
