// Values that an agent may use by name and never gets to see.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace session {

class Secrets {
public:
    // Empty values count as not there.
    explicit Secrets(const std::map<std::string, std::string>& values);

    bool empty() const { return secrets_.empty(); }
    // The value behind a name; nothing when it is no secret's name.
    std::optional<std::string> find(std::string_view name) const;
    std::vector<std::string> names() const;
    // The text with every value replaced by <secret>NAME</secret>.
    std::string redact(std::string text) const;

private:
    struct Secret {
        std::string name;
        std::string value;
    };
    std::vector<Secret> secrets_;  // longest value first, so that one within another hides both
};

}  // namespace session
