// Parses URLs as far as the rules need it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace policy {

// Scheme, host and port of a URL; `port` is empty for the scheme's default. An IPv6 host keeps its brackets.
struct Origin {
    std::string scheme;
    std::string host;
    std::string port;
};

// The URL as browsers read it: without surrounding spaces, and without line breaks and tabs in it.
std::string as_browsers_read(std::string_view url);
// Removes view-source: from a URL that has it.
std::string without_view_source(std::string url);

// Whether navigating there runs a script in the open page.
bool is_script(std::string_view url);
// Whether the author of the URL, or a page, also wrote the document that opens there, with scripts in it:
// javascript:, blob:, data: unless it can only be a picture or plain text.
bool brings_script(std::string_view url);

// "https" of "https://…", in lower case; empty when there is none.
std::string scheme_of(std::string_view url);
std::string default_port(std::string_view scheme);
// Whether every URL with this scheme names a host: http, https, ws, wss, ftp.
bool always_has_host(std::string_view scheme);
// Parses like browsers do. The scheme is empty for URLs without a host: data:, blob:, about:.
Origin read_origin(std::string_view url);
// Parses "user@host:port".
void read_authority(std::string_view authority, Origin& origin);

// A rule is "https://example.com", "http://localhost:*" or a bare host with or without a port.
bool matches(const Origin& rule, const Origin& origin);

// Whether a rule's domain matches a host: the domain itself, any subdomain, or a match of its * and ?.
bool is_in_domain(std::string_view host, std::string_view domain);

}  // namespace policy
