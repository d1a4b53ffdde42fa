#include "session/secrets.h"

#include <algorithm>

#include "policy/origin.h"

namespace session {
Secrets::Secrets(const std::map<std::string, std::string>& values, Origins origins)
    : redactor_(values), origins_(std::move(origins)) {
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

bool Secrets::is_for_host(const std::string& name, const std::string& host) const {
    const std::vector<std::string>* rules = origins_of(name);
    if (!rules) return true;
    return !host.empty() && std::ranges::any_of(*rules, [&](const std::string& text) {
        policy::Origin rule = policy::read_origin(text), asked = rule;
        asked.host = host;
        if (asked.scheme.empty()) asked.scheme = "https";
        if (asked.port == "*") asked.port = "1";
        return policy::matches(rule, asked);
    });
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
