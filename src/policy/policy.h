// Decides what pages may reach, and reports refusals.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "policy/origin.h"
#include "util/result.h"

namespace policy {

struct Rules {
    // "https://example.com", "http://localhost:*" or a bare host.
    std::vector<std::string> allowed_origins = {};
    std::vector<std::string> blocked_origins = {};
    // Hosts and all their subdomains; * and ? are wildcards.
    std::vector<std::string> allowed_domains = {};
    std::vector<std::string> blocked_domains = {};
    bool deny_private_networks = false;
    std::string source = {};  // the name of the domain lists in messages, if not the server's own
};

// The caller, as far as it is known.
struct Subject {
    std::string session = {};    // by name
    std::string principal = {};  // the authenticated principal
    // Of the OAuth access token that a call came with. A page's requests have none.
    std::vector<std::string> scopes = {};
};

// One refusal: the requested target, and the rule that denied it.
struct Denial {
    std::string what;
    std::string rule;
    Subject who = {};

    Error error() const;
};

// Judges URLs and addresses by the rules. A page cannot disguise a URL as another one: text that cannot be
// parsed is denied.
class Policy {
public:
    explicit Policy(Rules rules);

    // Whether there are rules about addresses.
    bool judges_addresses() const;
    bool judges_connections() const { return judges_addresses() || rules_.deny_private_networks; }
    // Whether there are rules beyond upstream's lists of origins, which are no security boundary there.
    bool is_boundary() const;
    bool denies_private_networks() const { return rules_.deny_private_networks; }

    // Judges a request or a navigation by its URL alone.
    std::optional<Denial> judge_url(std::string_view url) const;
    // Judges by domains only, for the error that an agent gets before it navigates.
    std::optional<Denial> judge_domain(std::string_view url) const;
    // Judges a tunnel by its target; the scheme is unknown.
    std::optional<Denial> judge_host(const std::string& host, const std::string& port) const;
    // Judges the address to which a name resolved.
    std::optional<Denial> judge_address(const std::string& host,
                                        const boost::asio::ip::address& address) const;

private:
    struct NamedOrigin {
        std::string text;
        Origin origin;
    };
    std::optional<std::string> broken_rule(const Origin& origin) const;
    std::optional<std::string> broken_domain_rule(const std::string& host) const;
    std::optional<std::string> blocked_domain(const std::string& host) const;

    Rules rules_;
    std::vector<NamedOrigin> allowed_;
    std::vector<NamedOrigin> blocked_;
};

}  // namespace policy
