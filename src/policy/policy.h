// What pages may reach, and who is told when they may not.
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
    // Hosts with everything below them; * and ? match.
    std::vector<std::string> allowed_domains = {};
    std::vector<std::string> blocked_domains = {};
    bool deny_private_networks = false;
    std::string source = {};  // what domains are named by, where that is not the server's own list
};

// Who asked, as far as that is known.
struct Subject {
    std::string session = {};    // by name
    std::string principal = {};  // who was authenticated
};

// One refusal: what was asked for, and the rule that fired.
struct Denial {
    std::string what;
    std::string rule;
    Subject who = {};

    Error error() const;
};

// Judges addresses by the rules. Nothing of a page's own making passes for something else: what cannot be
// read is denied.
class Policy {
public:
    explicit Policy(Rules rules);

    // Whether there is anything to judge by.
    bool judges_addresses() const;
    bool judges_connections() const { return judges_addresses() || rules_.deny_private_networks; }
    // Whether there are rules beyond upstream's lists of origins, which are no boundary there.
    bool is_boundary() const;
    bool denies_private_networks() const { return rules_.deny_private_networks; }

    // By the address alone, as a request or a navigation has it.
    std::optional<Denial> judge_url(std::string_view url) const;
    // The same by domains only: what an agent is told before it goes there.
    std::optional<Denial> judge_domain(std::string_view url) const;
    // By what a tunnel says; its scheme is not known.
    std::optional<Denial> judge_host(const std::string& host, const std::string& port) const;
    // Where a name has led to.
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
