// Whether the claims of a token whose signature holds let its bearer in, and as whom.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "util/json.h"

namespace oauth {

using Time = std::chrono::system_clock::time_point;

struct Expected {
    std::string issuer;
    std::vector<std::string> audiences;  // what we are called: one is enough
    std::string principal_claim = "sub";
    std::vector<std::string> scopes = {};  // all of these
};

struct Grant {
    // "oauth:" and the value of the claim: nobody with a configured token is called so.
    std::string principal;
    Time expires;
};
inline constexpr std::string_view kPrincipalPrefix = "oauth:";

struct Refusal {
    enum class Reason { InvalidToken, InsufficientScope, IssuerUnreachable };
    Reason reason;
    std::string message;
};
using Verdict = std::variant<Grant, Refusal>;

Verdict check_claims(const json::object& claims, const Expected& expected, Time now);

}  // namespace oauth
