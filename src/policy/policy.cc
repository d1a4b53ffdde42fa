#include "policy/policy.h"

#include <algorithm>

#include "policy/addresses.h"
#include "policy/host_address.h"
#include "util/strings.h"

namespace policy {
namespace {

constexpr std::string_view kWithHost[] = {"http", "https", "ws", "wss", "ftp"};

// The host itself, and the address that it leads to behind its own.
std::vector<std::string> hosts_of(const std::string& host) {
    std::vector<std::string> hosts{host};
    if (auto behind = address_behind(host)) hosts.push_back(std::move(*behind));
    return hosts;
}

}  // namespace

Error Denial::error() const {
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "Access to \"" + what + "\" is denied by " + rule + ".",
                 .hint = "Ask whoever runs this server to change the rule, or go elsewhere."};
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
    std::string source = rules_.source.empty() ? "" : " of " + rules_.source;
    if (auto domain = blocked_domain(host)) return "the blocked domain " + *domain + source;
    auto fits = [&](const std::string& domain) { return is_in_domain(host, domain); };
    const auto& domains = rules_.allowed_domains;
    if (!domains.empty() && std::none_of(domains.begin(), domains.end(), fits))
        return "the list of allowed domains" + source;
    return std::nullopt;
}

std::optional<std::string> Policy::broken_rule(const Origin& origin) const {
    for (Origin asked = origin; const std::string& host : hosts_of(origin.host)) {
        asked.host = host;
        for (const NamedOrigin& each : blocked_)
            if (matches(each.origin, asked)) return "the blocked origin " + each.text;
    }
    if (auto rule = broken_domain_rule(origin.host)) return rule;
    auto fits = [&](const NamedOrigin& each) { return matches(each.origin, origin); };
    if (!allowed_.empty() && std::none_of(allowed_.begin(), allowed_.end(), fits))
        return "the list of allowed origins";
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
    // data:, blob: and about: pages come from whoever made them.
    if (origin.scheme.empty()) {
        std::string scheme = scheme_of(url);
        if (std::find(std::begin(kWithHost), std::end(kWithHost), scheme) == std::end(kWithHost))
            return std::nullopt;
        return Denial{std::string(url), "the rule that addresses must be whole"};
    }
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
        // A blocked one stays blocked whatever the scheme turns out to be.
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
    std::string source = rules_.source.empty() ? "" : " of " + rules_.source;
    return Denial{std::move(what), "the blocked domain " + *domain + source};
}

}  // namespace policy
