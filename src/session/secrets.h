// Values that an agent may use by name and never gets to see.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/redactor.h"

namespace session {

class Secrets {
public:
    using Origins = std::map<std::string, std::vector<std::string>>;

    // Empty values count as not there. Names in `origins` are bound to what they have there, written as in
    // rules about origins.
    explicit Secrets(const std::map<std::string, std::string>& values, Origins origins = {});

    bool empty() const { return secrets_.empty(); }
    // The value behind a name; nothing when it is no secret's name.
    std::optional<std::string> find(std::string_view name) const;
    std::vector<std::string> names() const;
    // What it is bound to; null: nothing.
    const std::vector<std::string>* origins_of(const std::string& name) const;
    // Whether a document of that origin may get it.
    bool is_for(const std::string& name, std::string_view origin) const;
    // Whether a document of that host may get it, on some port.
    bool is_for_host(const std::string& name, const std::string& host) const;
    const Redactor& redactor() const { return redactor_; }
    // The text with <secret>NAME</secret> in place of every value, however it is written.
    std::string redact(std::string text) const { return redactor_.redact(std::move(text)); }
    // The same for every text in it.
    json::value redact_all(json::value value) const { return redactor_.redact_all(std::move(value)); }

private:
    struct Secret {
        std::string name;
        std::string value;
    };
    std::vector<Secret> secrets_;  // longest value first
    Redactor redactor_;
    Origins origins_;
};

}  // namespace session
