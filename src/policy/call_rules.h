// Rules for the tools that callers may call, and how often.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace policy {

// Applies to the callers that both globs match and whose token has all the scopes. `tools` and `capabilities`
// together list the allowed tools; without either, every tool is allowed. Tools that need no capability
// belong to "core".
struct CallRule {
    std::string principal = "*";
    std::string session = "*";
    std::vector<std::string> scopes = {};
    std::vector<std::string> tools = {};  // globs, as in `denied`
    std::vector<std::string> capabilities = {};
    std::vector<std::string> denied = {};
    // Domains that pages may reach, besides the rules for all callers: see Rules and Policies.
    std::vector<std::string> allowed_domains = {};
    std::vector<std::string> blocked_domains = {};
    // For each principal, over all sessions that the rule matches. Callers without one share a limit.
    std::optional<int> calls_per_minute = {};
};

// Returns the first rule that matches the caller; nothing when none does.
std::optional<std::size_t> rule_for(const std::vector<CallRule>& rules, const Subject& who);
// The rule's name, by its place in the configuration.
std::string rule_name(std::size_t rule);

// Enforces the rules about tools. Lives on the main loop.
class CallRules {
public:
    using Clock = std::chrono::steady_clock;

    explicit CallRules(std::vector<CallRule> rules = {}) : rules_(std::move(rules)) {}

    bool empty() const { return rules_.empty(); }
    // The rule that keeps the caller from a tool, by its place in the configuration.
    std::optional<std::string> broken(const Subject& who, std::string_view tool,
                                      std::string_view capability) const;
    // The rule that denies the tool by name or pattern, whatever else is allowed.
    std::optional<std::string> denied(const Subject& who, std::string_view tool) const;
    // Whether the caller's rule names the principal and the tool literally, not by a pattern.
    bool name(const Subject& who, std::string_view tool) const;
    // Counts a call. Over the limit, returns the time to wait and the rule.
    struct Wait {
        std::chrono::milliseconds time;
        std::string rule;
    };
    std::optional<Wait> take(const Subject& who, Clock::time_point now);

private:
    // Refills evenly, up to the calls of one minute.
    struct Bucket {
        double calls;
        Clock::time_point counted;
    };

    std::vector<CallRule> rules_;
    using BucketKey = std::pair<std::size_t, std::string>;  // a rule and a principal
    std::map<BucketKey, Bucket> buckets_;
};

}  // namespace policy
