#include "policy/call_rules.h"

#include <algorithm>

#include "util/strings.h"

namespace policy {
namespace {

// Principals without a call for a minute are forgotten; those beyond this number share one bucket.
constexpr std::size_t kMaxBuckets = 10'000;
constexpr std::string_view kOthers = "\n";  // no principal has this name

bool fits_one(std::string_view name, const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns,
                               [&](const std::string& pattern) { return matches_glob(name, pattern); });
}

}  // namespace

std::string rule_name(std::size_t rule) { return "security.rules[" + std::to_string(rule) + "]"; }

std::optional<std::size_t> rule_for(const std::vector<CallRule>& rules, const Subject& who) {
    auto has = [&](const std::string& scope) {
        return std::ranges::find(who.scopes, scope) != who.scopes.end();
    };
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (matches_glob(who.principal, rules[i].principal) && matches_glob(who.session, rules[i].session) &&
            std::ranges::all_of(rules[i].scopes, has))
            return i;
    }
    return std::nullopt;
}

std::optional<std::string> CallRules::broken(const Subject& who, std::string_view tool,
                                             std::string_view capability) const {
    auto at = rule_for(rules_, who);
    if (!at) return std::nullopt;
    const CallRule& rule = rules_[*at];
    if (capability.empty()) capability = "core";
    bool all = rule.tools.empty() && rule.capabilities.empty();
    bool allowed = all || fits_one(tool, rule.tools) || fits_one(capability, rule.capabilities);
    if (allowed && !fits_one(tool, rule.denied)) return std::nullopt;
    return rule_name(*at);
}

std::optional<std::string> CallRules::denied(const Subject& who, std::string_view tool) const {
    auto at = rule_for(rules_, who);
    return at && fits_one(tool, rules_[*at].denied) ? std::optional(rule_name(*at)) : std::nullopt;
}

bool CallRules::name(const Subject& who, std::string_view tool) const {
    auto at = rule_for(rules_, who);
    return at && rules_[*at].principal == who.principal &&
           std::ranges::find(rules_[*at].tools, tool) != rules_[*at].tools.end();
}

std::optional<CallRules::Wait> CallRules::take(const Subject& who, Clock::time_point now) {
    auto at = rule_for(rules_, who);
    if (!at || !rules_[*at].calls_per_minute) return std::nullopt;
    using Seconds = std::chrono::duration<double>;
    double per_minute = *rules_[*at].calls_per_minute, a_second = per_minute / 60;
    if (buckets_.size() >= kMaxBuckets)
        std::erase_if(buckets_,
                      [&](const auto& each) { return now - each.second.counted > std::chrono::minutes(1); });
    // Keyed by principal: callers choose session names, and each new name would be a new bucket.
    BucketKey key{*at, who.principal};
    if (buckets_.size() >= kMaxBuckets && !buckets_.contains(key)) key.second = kOthers;
    Bucket& bucket = buckets_.try_emplace(key, Bucket{per_minute, now}).first->second;
    bucket.calls = std::min(per_minute, bucket.calls + a_second * Seconds(now - bucket.counted).count());
    bucket.counted = now;
    if (bucket.calls < 1) {
        auto time = std::chrono::ceil<std::chrono::milliseconds>(Seconds((1 - bucket.calls) / a_second));
        return Wait{time, rule_name(*at)};
    }
    bucket.calls -= 1;
    return std::nullopt;
}

}  // namespace policy
