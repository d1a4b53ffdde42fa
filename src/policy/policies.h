// The rules that hold for everybody, and those for single callers on top of them.
#pragma once

#include <vector>

#include "policy/call_rules.h"
#include "policy/policy.h"

namespace policy {

// Judges as Policy does, with regard to who asks: what anybody's rule denies is denied. Of the rules about
// callers the first that fits counts. Where these name domains, what nobody is known to ask for is denied.
class Policies {
public:
    explicit Policies(Rules everybody, std::vector<CallRule> callers = {});

    bool judges_addresses() const { return everybody_.judges_addresses() || tells_callers_apart_; }
    bool judges_connections() const { return everybody_.judges_connections() || tells_callers_apart_; }
    bool denies_private_networks() const { return everybody_.denies_private_networks(); }
    bool is_boundary(const Subject& who) const;

    // `who` is null where nobody knows.
    std::optional<Denial> judge_url(std::string_view url, const Subject* who) const;
    std::optional<Denial> judge_domain(std::string_view url, const Subject& who) const;
    std::optional<Denial> judge_host(const std::string& host, const std::string& port,
                                     const Subject* who) const;
    std::optional<Denial> judge_address(const std::string& host, const boost::asio::ip::address& address,
                                        const Subject* who) const;

private:
    // Null where no rule of their own holds.
    const Policy* own_of(const Subject& who) const;
    template <class Judge>
    std::optional<Denial> judge(std::string what, const Subject* who, Judge judge) const;

    Policy everybody_;
    std::vector<CallRule> callers_;
    std::vector<Policy> own_;  // of each rule
    bool tells_callers_apart_ = false;
};

}  // namespace policy
