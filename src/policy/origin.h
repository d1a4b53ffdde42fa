// Addresses of the web, as far as rules look at them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace policy {

// Scheme, host and port of an address; `port` is empty for the scheme's own. An IPv6 host keeps its brackets.
struct Origin {
    std::string scheme;
    std::string host;
    std::string port;
};

// The address as browsers read it: without spaces around it and without line breaks and tabs in it.
std::string as_browsers_read(std::string_view url);
// The address whose source is shown, where it is one of those.
std::string without_view_source(std::string url);

// Whether to go there is to run a script in the page that is open.
bool is_script(std::string_view url);

// "https" of "https://…", in small letters; empty when there is none.
std::string scheme_of(std::string_view url);
std::string default_port(std::string_view scheme);
// Without a scheme where the address has no host: data:, blob:, about:.
Origin read_origin(std::string_view url);
// From "user@host:port".
void read_authority(std::string_view authority, Origin& origin);

// A rule is "https://example.com", "http://localhost:*" or a bare host with or without a port.
bool matches(const Origin& rule, const Origin& origin);

// Whether a host is meant by a domain of a rule: the domain itself, all below it, or what its * and ? stand
// for.
bool is_in_domain(std::string_view host, std::string_view domain);

}  // namespace policy
