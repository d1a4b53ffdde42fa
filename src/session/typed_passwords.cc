#include "session/typed_passwords.h"

#include <algorithm>
#include <map>

namespace session {
namespace {

constexpr std::size_t kMaxTexts = 100;

}  // namespace

void TypedPasswords::add(std::string text) {
    if (text.empty() || holds(text)) return;
    texts_.push_back(std::move(text));
    if (texts_.size() > kMaxTexts) texts_.pop_front();
    std::map<std::string, std::string> values;
    for (const std::string& each : texts_) {
        // All have one name: nobody gave them any.
        if (is_distinct(each)) values.emplace("password" + std::to_string(values.size()), each);
    }
    redactor_ = Redactor(values, "password");
}

bool TypedPasswords::holds(std::string_view text) const {
    return std::ranges::find(texts_, text) != texts_.end();
}

}  // namespace session
