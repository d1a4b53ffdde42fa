// Rules that a configuration file writes as JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "util/json.h"
#include "util/result.h"

namespace config {

// One of security.rules.
struct CallRuleConfig {
    std::string principal = "*";
    std::string session = "*";
    std::vector<std::string> tools = {};
    std::vector<std::string> capabilities = {};
    std::vector<std::string> deny = {};
    std::vector<std::string> allowed_domains = {};
    std::vector<std::string> blocked_domains = {};
    std::optional<int> rate = {};  // calls a minute

    bool names_domains() const { return !allowed_domains.empty() || !blocked_domains.empty(); }
};

// Fails when a domain of a rule is none: such a rule would deny nothing, or everything.
Result<void> check_domains(const std::vector<std::string>& domains, const std::string& where);

// Null is none. Fail by naming what is wrong, as all else that reads a configuration.
Result<std::vector<CallRuleConfig>> read_rules(const json::value& given);
// security.secretOrigins: which secret is for which origins.
using SecretOrigins = std::map<std::string, std::vector<std::string>>;
Result<SecretOrigins> read_secret_origins(const json::value& given);

}  // namespace config
