// Who may call which tools, and how often.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace policy {

// For the callers that both globs fit. `tools` and `capabilities` together are what may be called; without
// either, everything may. The tools that need no capability are those of "core".
struct CallRule {
    std::string principal = "*";
    std::string session = "*";
    std::vector<std::string> tools = {};  // globs, as in `denied`
    std::vector<std::string> capabilities = {};
    std::vector<std::string> denied = {};
    // What pages may reach, beside the rules for everybody: see Rules and Policies.
    std::vector<std::string> allowed_domains = {};
    std::vector<std::string> blocked_domains = {};
    // Of each principal, in all the sessions that the rule fits together. Callers without one share theirs.
    std::optional<int> calls_per_minute = {};
};

// The first rule that fits a caller is the one that counts; nothing when none does.
std::optional<std::size_t> rule_for(const std::vector<CallRule>& rules, const Subject& who);
// By its place in the configuration.
std::string rule_name(std::size_t rule);

// Keeps callers to the rules about tools. Lives on the main loop.
class CallRules {
public:
    using Clock = std::chrono::steady_clock;

    explicit CallRules(std::vector<CallRule> rules = {}) : rules_(std::move(rules)) {}

    bool empty() const { return rules_.empty(); }
    // The rule that keeps the caller from a tool, by its place in the configuration.
    std::optional<std::string> broken(const Subject& who, std::string_view tool,
                                      std::string_view capability) const;
    // Whether the caller's rule names the principal and the tool themselves, not by a pattern.
    bool name(const Subject& who, std::string_view tool) const;
    // Counts a call. How long to wait, and by which rule, when there were too many.
    struct Wait {
        std::chrono::milliseconds time;
        std::string rule;
    };
    std::optional<Wait> take(const Subject& who, Clock::time_point now);

private:
    // Fills up evenly, to what a minute allows.
    struct Bucket {
        double calls;
        Clock::time_point counted;
    };

    std::vector<CallRule> rules_;
    using BucketKey = std::pair<std::size_t, std::string>;  // a rule and a principal
    std::map<BucketKey, Bucket> buckets_;
};

}  // namespace policy
