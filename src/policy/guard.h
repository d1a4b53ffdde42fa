// Applies the policy to requests, reports every refusal, and remembers the reason.
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
    using OnDenied = std::function<void(const Denial& denial)>;

    Guard(Policies policies, OnDenied on_denied)
        : policies_(std::move(policies)), on_denied_(std::move(on_denied)) {}

    const Policies& policies() const { return policies_; }
    // Protects a port of ours on this machine: it may never be visited, whatever the rules allow.
    void protect(int port) { protected_.insert(std::to_string(port)); }

    // Judges a request of a page; `who` is null when its owner is unknown.
    bool may_request(const std::string& url, const Subject* who);
    // Judges a URL that an agent wants to open.
    Result<void> may_visit(const std::string& url, const Subject& who = {});
    // Records a refusal by another component.
    void denied(const Denial& denial);
    // The refusal that caused a visit's network error.
    std::optional<Denial> why(const std::string& url, const Subject& who = {}) const;

private:
    std::optional<Denial> judge_visit(const std::string& given, const Subject& who) const;

    Policies policies_;
    OnDenied on_denied_;
    std::set<std::string> protected_;
    std::map<std::string, Denial> refused_;  // by caller and host
};

}  // namespace policy
