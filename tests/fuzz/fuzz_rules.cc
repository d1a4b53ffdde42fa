// Rules about callers: security.rules as JSON on the first line, then calls, one a line: principal, session,
// tool and capability with spaces between. Every decision is made a second time, as the documentation has it.
#include <algorithm>
#include <set>

#include "config/rules.h"
#include "policy/call_rules.h"
#include "policy/policies.h"
#include "tests/fuzz/input.h"
#include "util/strings.h"

namespace {

using config::CallRuleConfig;
using fuzz::require;
using policy::CallRule;
using policy::CallRules;
using policy::Subject;

using Texts = std::vector<std::string>;

struct Asked {
    Subject who;
    std::string tool, capability;
};

// * is any run of characters, ? is one.
bool fits(std::string_view text, std::string_view pattern) {
    std::vector<bool> reached(text.size() + 1);
    reached[0] = true;
    for (char p : pattern) {
        std::vector<bool> next(text.size() + 1);
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (p == '*')
                next[i] = reached[i] || (i > 0 && next[i - 1]);
            else if (i > 0)
                next[i] = reached[i - 1] && (p == '?' || p == text[i - 1]);
        }
        reached = std::move(next);
    }
    return reached[text.size()];
}

bool fits_one(std::string_view text, const Texts& patterns) {
    return std::ranges::any_of(patterns, [&](const auto& each) { return fits(text, each); });
}

std::optional<std::size_t> first_rule(const std::vector<CallRule>& rules, const Subject& who) {
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (fits(who.principal, rules[i].principal) && fits(who.session, rules[i].session)) return i;
    return std::nullopt;
}

// What docs/security.md says of a rule.
bool may_call(const CallRule& rule, const Asked& asked) {
    if (fits_one(asked.tool, rule.denied)) return false;
    if (rule.tools.empty() && rule.capabilities.empty()) return true;
    std::string capability = asked.capability.empty() ? "core" : asked.capability;
    return fits_one(asked.tool, rule.tools) || fits_one(capability, rule.capabilities);
}

std::vector<CallRule> as_rules(const std::vector<CallRuleConfig>& given) {
    std::vector<CallRule> rules;
    for (const CallRuleConfig& each : given)
        rules.push_back({.principal = each.principal,
                         .session = each.session,
                         .tools = each.tools,
                         .capabilities = each.capabilities,
                         .denied = each.deny,
                         .allowed_domains = each.allowed_domains,
                         .blocked_domains = each.blocked_domains,
                         .calls_per_minute = each.rate});
    return rules;
}

json::array as_array(const Texts& texts) { return json::array(texts.begin(), texts.end()); }

json::value as_json(const std::vector<CallRuleConfig>& rules) {
    json::array list;
    for (const CallRuleConfig& rule : rules) {
        json::object each{{"principal", rule.principal},
                          {"session", rule.session},
                          {"tools", as_array(rule.tools)},
                          {"capabilities", as_array(rule.capabilities)},
                          {"deny", as_array(rule.deny)}};
        if (!rule.allowed_domains.empty()) each["allowedDomains"] = as_array(rule.allowed_domains);
        if (!rule.blocked_domains.empty()) each["blockedDomains"] = as_array(rule.blocked_domains);
        if (rule.rate) each["rate"] = *rule.rate;
        list.push_back(std::move(each));
    }
    return list;
}

void check_keys(const json::value& given) {
    static const std::set<std::string_view> kKeys = {
        "principal", "session", "tools", "capabilities", "deny", "allowedDomains", "blockedDomains", "rate"};
    for (const json::value& rule : given.as_array())
        for (const auto& [key, value] : rule.as_object())
            require(kKeys.contains(std::string_view(key)), "a key that is not known is an error", key);
}

void check_order(std::vector<CallRule> rules, const Asked& asked, bool broken) {
    for (CallRule& rule : rules)
        for (Texts* list : {&rule.tools, &rule.capabilities, &rule.denied}) std::ranges::reverse(*list);
    require(CallRules(rules).broken(asked.who, asked.tool, asked.capability).has_value() == broken,
            "the order of a list means nothing", asked.tool);
}

void check_more_denied(const std::vector<CallRule>& rules, const Asked& asked, bool broken) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        for (const std::string& pattern : {std::string("browser_*"), asked.tool, std::string("*")}) {
            auto stricter = rules;
            stricter[i].denied.push_back(pattern);
            bool still = CallRules(stricter).broken(asked.who, asked.tool, asked.capability).has_value();
            require(still || !broken, "denying more permits nothing", pattern);
        }
    }
}

// What a page may reach by the rule of whoever opened it.
void check_domains(const std::vector<CallRule>& rules, const Subject& who) {
    policy::Policies policies({}, rules);
    bool any = std::ranges::any_of(rules, [](const CallRule& rule) {
        return !rule.allowed_domains.empty() || !rule.blocked_domains.empty();
    });
    auto stricter = rules;
    for (CallRule& rule : stricter) rule.blocked_domains.emplace_back("b.example");
    policy::Policies less({}, stricter);
    for (const char* url : {"https://a.example/", "http://b.example:8080/", "http://169.254.169.254/"}) {
        require(!any || policies.judge_url(url, nullptr).has_value(), "nobody's request is denied", url);
        bool denied = policies.judge_url(url, &who).has_value();
        require(less.judge_url(url, &who).has_value() || !denied, "blocking more permits nothing", url);
        require(any || !denied, "without domains in rules nothing is denied", url);
    }
    if (first_rule(rules, who))
        require(less.judge_url("http://b.example:8080/", &who).has_value(), "a blocked domain is denied");
}

void check_rate(const std::vector<CallRule>& rules, const Subject& who) {
    auto rule = first_rule(rules, who);
    int rate = rule ? rules[*rule].calls_per_minute.value_or(0) : 0;
    if (rate == 0 || rate > 100) return;
    CallRules counting(rules);
    auto now = CallRules::Clock::time_point{};
    for (int i = 0; i < rate; ++i) require(!counting.take(who, now), "a minute's calls may be made at once");
    auto wait = counting.take(who, now);
    require(wait.has_value(), "one more has to wait");
    require(counting.take(who, now + wait->time / 2).has_value(), "not for half the time");
    require(!counting.take(who, now + 2 * wait->time), "nor for long");
}

void check_call(const std::vector<CallRule>& rules, const Asked& asked) {
    auto at = first_rule(rules, asked.who);
    bool broken = at && !may_call(rules[*at], asked);
    auto found = CallRules(rules).broken(asked.who, asked.tool, asked.capability);
    require(found.has_value() == broken, "a call is judged as the rules say", asked.tool);
    require(!found || *found == policy::rule_name(*at), "a refusal names the rule that counts", asked.tool);
    check_order(rules, asked, broken);
    check_more_denied(rules, asked, broken);
    check_domains(rules, asked.who);
    check_rate(rules, asked.who);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::as_text(data, size);
    auto given = json::parse(fuzz::take_until(rest, "\n"));
    if (!given || !given->is_array()) return -1;
    auto read = config::read_rules(*given);
    if (!read) {
        require(read.error().message.starts_with("security.rules["), "an error names its rule",
                read.error().message);
        return 0;
    }
    check_keys(*given);
    require(read->size() == given->as_array().size(), "no rule is lost");
    auto again = config::read_rules(as_json(*read));
    require(again && as_json(*again) == as_json(*read), "rules that are written down read the same");
    auto rules = as_rules(*read);
    if (rules.size() > 8) return 0;
    for (int calls = 0; !rest.empty() && calls < 8; ++calls) {
        std::string_view line = fuzz::take_until(rest, "\n");
        Asked asked;
        for (std::string* word : {&asked.who.principal, &asked.who.session, &asked.tool, &asked.capability})
            *word = fuzz::take_until(line, " ");
        check_call(rules, asked);
    }
    return 0;
}
