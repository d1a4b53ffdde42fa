#include "session/secrets.h"

#include <algorithm>

namespace session {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

}  // namespace

Secrets::Secrets(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
        if (!value.empty()) secrets_.push_back({name, value});
    }
    std::ranges::sort(secrets_, [](const Secret& a, const Secret& b) {
        return a.value.size() != b.value.size() ? a.value.size() > b.value.size() : a.name < b.name;
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

std::string Secrets::redact(std::string text) const {
    for (const Secret& secret : secrets_) {
        replace_all(text, secret.value, "<secret>" + secret.name + "</secret>");
    }
    return text;
}

}  // namespace session
