#include "policy/policies.h"

#include <algorithm>

namespace policy {

Policies::Policies(Rules everybody, std::vector<CallRule> callers)
    : everybody_(std::move(everybody)), callers_(std::move(callers)) {
    for (std::size_t i = 0; i < callers_.size(); ++i)
        own_.emplace_back(Rules{.allowed_domains = callers_[i].allowed_domains,
                                .blocked_domains = callers_[i].blocked_domains,
                                .source = rule_name(i)});
    distinguishes_callers_ = std::ranges::any_of(own_, &Policy::judges_addresses);
}

const Policy* Policies::own_of(const Subject& who) const {
    auto rule = rule_for(callers_, who);
    return rule && own_[*rule].judges_addresses() ? &own_[*rule] : nullptr;
}

bool Policies::is_boundary(const Subject& who) const {
    return everybody_.is_boundary() || own_of(who) != nullptr;
}

template <class Judge>
std::optional<Denial> Policies::judge(std::string what, const Subject* who, Judge judge) const {
    std::optional<Denial> denial = judge(everybody_);
    if (!denial && distinguishes_callers_) {
        const Policy* own = who ? own_of(*who) : nullptr;
        if (own) denial = judge(*own);
        if (!who)
            denial =
                Denial{std::move(what), "the rule that every request needs a known caller (security.rules)"};
    }
    if (denial && who) denial->who = *who;
    return denial;
}

std::optional<Denial> Policies::judge_url(std::string_view url, const Subject* who) const {
    return judge(std::string(url), who, [&](const Policy& policy) { return policy.judge_url(url); });
}

std::optional<Denial> Policies::judge_domain(std::string_view url, const Subject& who) const {
    return judge(std::string(url), &who, [&](const Policy& policy) { return policy.judge_domain(url); });
}

std::optional<Denial> Policies::judge_host(const std::string& host, const std::string& port,
                                           const Subject* who) const {
    return judge(host + ":" + port, who, [&](const Policy& policy) { return policy.judge_host(host, port); });
}

std::optional<Denial> Policies::judge_address(const std::string& host,
                                              const boost::asio::ip::address& address,
                                              const Subject* who) const {
    return judge(host, who, [&](const Policy& policy) { return policy.judge_address(host, address); });
}

}  // namespace policy
