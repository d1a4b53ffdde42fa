// Values that an agent may use by name and never gets to see.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/redactor.h"

namespace session {

// Who receives a cookie: documents of these hosts, on every port.
struct CookieReach {
    std::string host;  // empty: unknown hosts
    bool has_subdomains = false;
    bool has_http = false;  // also over http, not only https
};

class Secrets {
public:
    using Origins = std::map<std::string, std::vector<std::string>>;

    // Empty values are ignored. `origins` binds names to origins, written as in rules about origins.
    // `url_parameters` name the URL parameters whose values are always removed from addresses.
    // `hidden` values are redacted only: no agent may use them.
    explicit Secrets(const std::map<std::string, std::string>& values, Origins origins = {},
                     std::vector<std::string> url_parameters = {},
                     const std::map<std::string, std::string>& hidden = {});

    bool empty() const { return secrets_.empty(); }
    // The value behind a name; nothing when it is no secret's name.
    std::optional<std::string> find(std::string_view name) const;
    std::vector<std::string> names() const;
    // The origins that it is bound to; null: none.
    const std::vector<std::string>* origins_of(const std::string& name) const;
    // Whether a document of that origin may get it.
    bool is_for(const std::string& name, std::string_view origin) const;
    // Whether all who receive the cookie may get it.
    bool is_for(const std::string& name, const CookieReach& reach) const;
    const Redactor& redactor() const { return redactor_; }
    // The text with <secret>NAME</secret> in place of every value, however it is written.
    std::string redact(std::string text) const { return redactor_.redact(std::move(text)); }
    // The same for every text in the value.
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
