#include "session/typed_passwords.h"

#include <algorithm>
#include <map>

namespace session {
namespace {

constexpr std::size_t kMaxTexts = 300;  // a password typed key by key is one for each key

// Returns false when the text is there already.
bool append(std::deque<std::string>& texts, std::string text) {
    if (text.empty() || std::ranges::find(texts, text) != texts.end()) return false;
    texts.push_back(std::move(text));
    if (texts.size() > kMaxTexts) texts.pop_front();
    return true;
}

}  // namespace

void TypedPasswords::add(std::string text) {
    if (append(typed_, std::move(text))) build_redactor();
}

void TypedPasswords::add_shown(std::vector<std::string> texts) {
    bool changed = false;
    for (std::string& text : texts) changed |= append(shown_, std::move(text));
    if (changed) build_redactor();
}

void TypedPasswords::build_redactor() {
    std::map<std::string, std::string> values;
    for (const auto* texts : {&typed_, &shown_}) {
        for (const std::string& each : *texts) {
            // All are shown under one name: they have none of their own.
            if (is_distinct(each)) values.emplace("password" + std::to_string(values.size()), each);
        }
    }
    redactor_ = Redactor(values, "password");
}

bool TypedPasswords::holds(std::string_view text) const {
    return std::ranges::find(typed_, text) != typed_.end() || std::ranges::find(shown_, text) != shown_.end();
}

}  // namespace session
