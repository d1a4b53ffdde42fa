// The rules for all callers, and the additional rules for single callers.
#pragma once

#include <vector>

#include "policy/call_rules.h"
#include "policy/policy.h"

namespace policy {

// Judges as Policy does, but by caller. The rules for all callers always apply; of the rules about callers
// the first match applies as well; those with scopes match no request of a page. If rules about callers name
// domains, requests without a known caller are denied.
class Policies {
public:
    explicit Policies(Rules everybody, std::vector<CallRule> callers = {});

    bool judges_addresses() const { return everybody_.judges_addresses() || distinguishes_callers_; }
    bool judges_connections() const { return everybody_.judges_connections() || distinguishes_callers_; }
    bool denies_private_networks() const { return everybody_.denies_private_networks(); }
    bool is_boundary(const Subject& who) const;

    // `who` is null when the caller is unknown.
    std::optional<Denial> judge_url(std::string_view url, const Subject* who) const;
    std::optional<Denial> judge_domain(std::string_view url, const Subject& who) const;
    std::optional<Denial> judge_host(const std::string& host, const std::string& port,
                                     const Subject* who) const;
    std::optional<Denial> judge_address(const std::string& host, const boost::asio::ip::address& address,
                                        const Subject* who) const;

private:
    // Null when no rule of the caller's own applies.
    const Policy* own_of(const Subject& who) const;
    template <class Judge>
    std::optional<Denial> judge(std::string what, const Subject* who, Judge judge) const;

    Policy everybody_;
    std::vector<CallRule> callers_;
    std::vector<Policy> own_;  // one per rule
    bool distinguishes_callers_ = false;
};

}  // namespace policy
