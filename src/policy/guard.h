// The policy at work: judges what is asked for, tells of every refusal, and remembers why.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "policy/policies.h"

namespace policy {

// Lives on the main loop.
class Guard {
public:
    using Told = std::function<void(const Denial& denial)>;

    Guard(Policies policies, Told told) : policies_(std::move(policies)), told_(std::move(told)) {}

    const Policies& policies() const { return policies_; }
    // A port of ours on this machine: never to be visited, whatever the rules say.
    void protect(int port) { protected_.insert(std::to_string(port)); }

    // A request of a page; `who` is null where nobody knows whose that is.
    bool may_request(const std::string& url, const Subject* who);
    // What an agent wants to open itself.
    Result<void> may_visit(const std::string& url, const Subject& who = {});
    // Somebody else refused.
    void denied(const Denial& denial);
    // Why a visit was refused that ended in an error of the network's.
    std::optional<Denial> why(const std::string& url, const Subject& who = {}) const;

private:
    std::optional<Denial> judge_visit(const std::string& given, const Subject& who) const;

    Policies policies_;
    Told told_;
    std::set<std::string> protected_;
    std::map<std::string, Denial> refused_;  // by who asked, and the host
};

}  // namespace policy
