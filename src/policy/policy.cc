#include "policy/policy.h"

#include <algorithm>
#include <iterator>

#include "policy/addresses.h"
#include "policy/host_address.h"
#include "util/strings.h"

namespace policy {
namespace {

// The host itself, and the IPv4 addresses that it may lead to.
std::vector<std::string> hosts_of(const std::string& host) {
    std::vector<std::string> hosts{host};
    std::ranges::move(addresses_behind(host), std::back_inserter(hosts));
    return hosts;
}

// The place of a rule: in security.rules[0], or in a list of its own.
std::string place(const std::string& source, std::string_view list) {
    return source.empty() ? " (" + std::string(list) + ")" : " of " + source;
}

}  // namespace

Error Denial::error() const {
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "Access to \"" + what + "\" is denied by " + rule + ".",
                 .hint = "Ask the operator of this server to change the rule, or go elsewhere."};
}

Policy::Policy(Rules rules) : rules_(std::move(rules)) {
    for (auto* list : {&rules_.allowed_domains, &rules_.blocked_domains}) {
        for (std::string& domain : *list) domain = comparable_host(domain);
    }
    for (const std::string& text : rules_.allowed_origins) allowed_.push_back({text, read_origin(text)});
    for (const std::string& text : rules_.blocked_origins) blocked_.push_back({text, read_origin(text)});
}

bool Policy::judges_addresses() const {
    return !allowed_.empty() || !blocked_.empty() || !rules_.allowed_domains.empty() ||
           !rules_.blocked_domains.empty();
}

bool Policy::is_boundary() const {
    return rules_.deny_private_networks || !rules_.allowed_domains.empty() || !rules_.blocked_domains.empty();
}

std::optional<std::string> Policy::blocked_domain(const std::string& host) const {
    for (const std::string& each : hosts_of(host)) {
        for (const std::string& domain : rules_.blocked_domains)
            if (is_in_domain(each, domain)) return domain;
    }
    return std::nullopt;
}

std::optional<std::string> Policy::broken_domain_rule(const std::string& host) const {
    if (auto domain = blocked_domain(host))
        return "the blocked domain " + *domain + place(rules_.source, "security.blockedDomains");
    auto fits = [&](const std::string& domain) { return is_in_domain(host, domain); };
    const auto& domains = rules_.allowed_domains;
    if (!domains.empty() && std::none_of(domains.begin(), domains.end(), fits))
        return "the list of allowed domains" + place(rules_.source, "security.allowedDomains");
    return std::nullopt;
}

std::optional<std::string> Policy::broken_rule(const Origin& origin) const {
    for (Origin asked = origin; const std::string& host : hosts_of(origin.host)) {
        asked.host = host;
        for (const NamedOrigin& each : blocked_)
            if (matches(each.origin, asked))
                return "the blocked origin " + each.text + " (network.blockedOrigins)";
    }
    if (auto rule = broken_domain_rule(origin.host)) return rule;
    auto fits = [&](const NamedOrigin& each) { return matches(each.origin, origin); };
    if (!allowed_.empty() && std::none_of(allowed_.begin(), allowed_.end(), fits))
        return "the list of allowed origins (network.allowedOrigins)";
    return std::nullopt;
}

std::optional<Denial> Policy::judge_domain(std::string_view url) const {
    Origin origin = read_origin(url);
    auto rule = origin.scheme.empty() ? std::nullopt : broken_domain_rule(origin.host);
    if (!rule) return std::nullopt;
    return Denial{std::string(url), std::move(*rule)};
}

std::optional<Denial> Policy::judge_url(std::string_view url) const {
    if (!judges_addresses()) return std::nullopt;
    Origin origin = read_origin(url);
    // data:, blob: and about: pages belong to the page that created them.
    if (origin.scheme.empty()) return std::nullopt;
    if (!url.substr(origin.scheme.size()).starts_with("://"))
        return Denial{std::string(url), "the rule that addresses must be whole"};
    auto rule = broken_rule(origin);
    if (!rule) return std::nullopt;
    return Denial{std::string(url), std::move(*rule)};
}

std::optional<Denial> Policy::judge_host(const std::string& host, const std::string& port) const {
    if (!judges_addresses()) return std::nullopt;
    std::optional<std::string> rule;
    bool passes = false;
    for (std::string_view scheme : {"http", "https"}) {
        Origin origin{.scheme = std::string(scheme), .host = comparable_host(host), .port = port};
        if (origin.port == default_port(scheme)) origin.port.clear();
        auto broken = broken_rule(origin);
        if (!broken) passes = true;
        // A blocked host stays blocked for every scheme.
        if (broken && broken->starts_with("the blocked")) return Denial{host + ":" + port, *broken};
        rule = std::move(broken);
    }
    if (passes) return std::nullopt;
    return Denial{host + ":" + port, std::move(*rule)};
}

std::optional<Denial> Policy::judge_address(const std::string& host,
                                            const boost::asio::ip::address& address) const {
    std::string shown = address.to_string();
    std::string what = host == shown ? host : host + " (" + shown + ")";
    if (rules_.deny_private_networks && is_private(address))
        return Denial{std::move(what), "security.denyPrivateNetworks"};
    // A blocked address stays blocked, whatever name leads to it.
    auto domain = rules_.blocked_domains.empty() ? std::nullopt : blocked_domain(comparable_host(address));
    if (!domain) return std::nullopt;
    return Denial{std::move(what),
                  "the blocked domain " + *domain + place(rules_.source, "security.blockedDomains")};
}

}  // namespace policy
