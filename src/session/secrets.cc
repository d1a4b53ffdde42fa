#include "session/secrets.h"

#include <algorithm>

#include "policy/origin.h"

namespace session {
namespace {

std::map<std::string, std::string> both(std::map<std::string, std::string> values,
                                        const std::map<std::string, std::string>& hidden) {
    values.insert(hidden.begin(), hidden.end());
    return values;
}

}  // namespace

Secrets::Secrets(const std::map<std::string, std::string>& values, Origins origins,
                 std::vector<std::string> url_parameters, const std::map<std::string, std::string>& hidden)
    : redactor_(both(values, hidden)), origins_(std::move(origins)) {
    redactor_.hide_parameters(std::move(url_parameters));
    for (const auto& [name, value] : values) {
        if (!value.empty()) secrets_.push_back({name, value});
    }
    std::ranges::sort(secrets_, [](const Secret& a, const Secret& b) {
        return a.value.size() != b.value.size() ? a.value.size() > b.value.size() : a.name < b.name;
    });
}

const std::vector<std::string>* Secrets::origins_of(const std::string& name) const {
    auto found = origins_.find(name);
    return found == origins_.end() ? nullptr : &found->second;
}

bool Secrets::is_for(const std::string& name, std::string_view origin) const {
    const std::vector<std::string>* rules = origins_of(name);
    if (!rules) return true;
    policy::Origin asked = policy::read_origin(origin);
    return !asked.scheme.empty() && std::ranges::any_of(*rules, [&](const std::string& rule) {
        return policy::matches(policy::read_origin(rule), asked);
    });
}

bool Secrets::is_for(const std::string& name, const CookieReach& reach) const {
    const std::vector<std::string>* rules = origins_of(name);
    if (!rules) return true;
    if (reach.host.empty()) return false;
    auto is_for_hosts = [&](std::string_view scheme, auto hosts_of) {
        return std::ranges::any_of(*rules, [&](const std::string& text) {
            policy::Origin rule = policy::read_origin(text);
            return rule.port == "*" && std::ranges::all_of(hosts_of(rule), [&](const std::string& host) {
                       return policy::matches(rule, {.scheme = std::string(scheme), .host = host});
                   });
        });
    };
    auto itself = [&](const policy::Origin&) { return std::vector<std::string>{reach.host}; };
    // A rule that matches these two matches every subdomain: it has no such character, and no ? for each.
    auto subdomains = [&](const policy::Origin& rule) {
        return std::vector<std::string>{"\x01." + reach.host,
                                        std::string(rule.host.size() + 1, '\x01') + "." + reach.host};
    };
    for (std::string_view scheme : {"https", "http"}) {
        if (scheme == "http" && !reach.has_http) continue;
        if (!is_for_hosts(scheme, itself)) return false;
        if (reach.has_subdomains && !is_for_hosts(scheme, subdomains)) return false;
    }
    return true;
}

std::optional<std::string> Secrets::find(std::string_view name) const {
    for (const Secret& secret : secrets_) {
        if (secret.name == name) return secret.value;
    }
    return std::nullopt;
}

std::vector<std::string> Secrets::names() const {
    std::vector<std::string> names;
    for (const Secret& secret : secrets_) names.push_back(secret.name);
    return names;
}

}  // namespace session
