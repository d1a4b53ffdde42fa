// Who may talk to this listener: Host, Origin and bearer token of every request.
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

// Gives the principal that a bearer token stands for, nothing when it stands for none.
using Authenticate = std::function<std::optional<std::string>(std::string_view token)>;

// Tokens by who sends them, compared in constant time.
Authenticate static_tokens(std::map<std::string, std::string> tokens);

// Who sends a request.
struct Identity {
    using Time = std::chrono::system_clock::time_point;

    std::string principal = {};  // empty: nobody has to say who they are
    Time expires = Time::max();  // when that has to be said anew
};

struct Refusal {
    int status;
    std::string message;
    std::string rule = {};   // that a page has met, where it may have been one
    std::string error = {};  // OAuth's word for what is wrong with a token: "invalid_token"
};

using Authenticated = std::variant<Identity, Refusal>;

// Access tokens of an authorization server, beside the tokens that were configured.
struct OAuthAccess {
    ProtectedResource resource;
    // Says who sends a token that was issued for one of `audiences`. May have to ask the issuer first.
    std::function<Task<Authenticated>(std::string token, std::vector<std::string> audiences)> verify;
};

struct AccessOptions {
    std::string host = "localhost";            // what the listener is bound to
    int port = 0;                              // the port it really has
    std::vector<std::string> allowed_hosts;    // more names, with or without port; "*" allows every one
    std::vector<std::string> allowed_origins;  // pages that may call us: "https://app.example.com"
    Authenticate authenticate;                 // empty: no tokens were configured
    std::optional<OAuthAccess> oauth;          // empty: there is no authorization server

    // Otherwise nobody has to say who they are.
    bool needs_token() const { return authenticate || oauth; }
};

// What every answer of the listener says to a browser that shows it: no other page may frame, open, embed or
// script it, and it runs and loads nothing itself.
Headers browser_headers();
// As the Content-Security-Policy of a page that people look at and that has styles and links of its own.
inline constexpr std::string_view kShownPagePolicy =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action "
    "'none'";

// Decides about requests; knows nothing of what they ask for.
class Access {
public:
    explicit Access(AccessOptions options) : options_(std::move(options)) {}

    // Whether the request comes from where it may: a page on the web cannot pass this.
    std::optional<Refusal> check_origin(const HttpExchange& exchange) const;
    // Whether a browser asks by itself: for a page to show, for what a page embeds, or for a script of a page
    // of ours. We have no scripts, so that is an agent's browser, led here by some page. `shown` is what
    // people may look at who were not led there by another site's page.
    std::optional<Refusal> check_browser(const HttpExchange& exchange, bool shown) const;
    // Who is asking. Unix sockets are guarded by their file mode and need no token. The exchange and this
    // outlive the task, which is done at once unless an authorization server has to be asked.
    Task<Authenticated> authenticate(const HttpExchange& exchange) const;
    // What WWW-Authenticate says to a request that was refused.
    std::string challenge(const HttpExchange& exchange, const Refusal& refusal) const;
    // What tells clients where to get a token for the resource at `path`; nothing where there is no such
    // resource or no authorization server.
    std::optional<json::object> resource_metadata(const HttpExchange& exchange, std::string_view path) const;

private:
    bool allows_host(std::string_view host) const;
    // What the client puts before our paths.
    std::string base_of(const HttpExchange& exchange) const;

    AccessOptions options_;
};

}  // namespace transport
