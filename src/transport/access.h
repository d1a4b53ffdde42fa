// Who may talk to this listener: Host, Origin and bearer token of every request.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/http.h"

namespace transport {

// Gives the principal that a bearer token stands for, nothing when it stands for none.
using Authenticate = std::function<std::optional<std::string>(std::string_view token)>;

// Tokens by who sends them, compared in constant time.
Authenticate static_tokens(std::map<std::string, std::string> tokens);

struct AccessOptions {
    std::string host = "localhost";            // what the listener is bound to
    int port = 0;                              // the port it really has
    std::vector<std::string> allowed_hosts;    // more names, with or without port; "*" allows every one
    std::vector<std::string> allowed_origins;  // pages that may call us: "https://app.example.com"
    Authenticate authenticate;                 // empty: nobody has to say who they are
};

struct Refusal {
    int status;
    std::string message;
    std::string rule = {};  // that a page has met, where it may have been one
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
    // Who is asking. Unix sockets are guarded by their file mode and need no token.
    std::optional<Refusal> authenticate(const HttpExchange& exchange, std::string& principal) const;

private:
    bool allows_host(std::string_view host) const;

    AccessOptions options_;
};

}  // namespace transport
