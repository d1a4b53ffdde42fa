// Parses rules, which a configuration file writes as JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "util/json.h"
#include "util/result.h"

namespace config {

// One entry of security.rules.
struct CallRuleConfig {
    std::string principal = "*";
    std::string session = "*";
    std::vector<std::string> scopes = {};  // of an OAuth token, all required
    std::vector<std::string> tools = {};
    std::vector<std::string> capabilities = {};
    std::vector<std::string> deny = {};
    std::vector<std::string> allowed_domains = {};
    std::vector<std::string> blocked_domains = {};
    std::optional<int> rate = {};  // calls a minute

    bool names_domains() const { return !allowed_domains.empty() || !blocked_domains.empty(); }
};

// Whether the text has only the characters of an OAuth scope (RFC 6749, section 3.3).
bool is_scope(const std::string& text);

// Fails for an invalid domain in a rule: such a rule would deny nothing, or everything.
Result<void> check_domains(const std::vector<std::string>& domains, const std::string& where);

// Null means none. The errors name the invalid part, as for all other options.
Result<std::vector<CallRuleConfig>> read_rules(const json::value& given);
// security.secretOrigins: the origins for which each secret may be used.
using SecretOrigins = std::map<std::string, std::vector<std::string>>;
Result<SecretOrigins> read_secret_origins(const json::value& given);

}  // namespace config
