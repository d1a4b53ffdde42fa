#include "session/secrets.h"

#include <algorithm>
#include <set>

#include "policy/origin.h"

namespace session {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

std::string percent_encoded(char c) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    auto byte = static_cast<unsigned char>(c);
    return {'%', kDigits[byte >> 4], kDigits[byte & 15]};
}

// With all but letters, digits and those in `plain` as %XX.
std::string percent_encoded(std::string_view text, std::string_view plain) {
    std::string encoded;
    for (char c : text) {
        if (is_letter_or_digit(c) || plain.find(c) != plain.npos)
            encoded += c;
        else
            encoded += percent_encoded(c);
    }
    return encoded;
}

// In a path or query, in a form that was sent, in JSON and in JSON within that.
std::set<std::string> ways_to_write(const std::string& value) {
    constexpr int kDeepest = 4;
    std::string form = percent_encoded(value, "*-._ ");
    std::ranges::replace(form, ' ', '+');
    std::set<std::string> ways{value, percent_encoded(value, "-_.!~*'()"), form};
    std::string inner = value;
    for (int depth = 0; depth < kDeepest; ++depth) {
        std::string quoted = json::serialize(json::value(inner));
        inner = quoted.substr(1, quoted.size() - 2);
        ways.insert(inner);
    }
    return ways;
}

}  // namespace

Secrets::Secrets(const std::map<std::string, std::string>& values, Origins origins)
    : origins_(std::move(origins)) {
    for (const auto& [name, value] : values) {
        if (value.empty()) continue;
        secrets_.push_back({name, value});
        for (const std::string& text : ways_to_write(value)) forms_.push_back({name, text});
    }
    for (auto* list : {&secrets_, &forms_}) {
        std::ranges::sort(*list, [](const Secret& a, const Secret& b) {
            return a.value.size() != b.value.size() ? a.value.size() > b.value.size() : a.name < b.name;
        });
    }
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

std::vector<std::string> Secrets::texts() const {
    std::vector<std::string> texts;
    for (const Secret& form : forms_) texts.push_back(form.value);
    return texts;
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
    for (const Secret& form : forms_) {
        replace_all(text, form.value, "<secret>" + form.name + "</secret>");
    }
    return text;
}

json::value Secrets::redact_all(json::value value) const {
    if (empty()) return value;
    if (json::array* items = value.if_array()) {
        for (json::value& item : *items) item = redact_all(std::move(item));
    } else if (json::object* members = value.if_object()) {
        json::object clean;
        for (auto& member : *members)
            clean[redact(std::string(member.key()))] = redact_all(std::move(member.value()));
        value = std::move(clean);
    } else if (value.is_string()) {
        value = redact(std::string(value.get_string()));
    }
    return value;
}

}  // namespace session
