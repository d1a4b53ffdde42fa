// Decides whether the claims of a token with a valid signature admit its bearer, and as which principal.
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
    std::vector<std::string> audiences;  // our names; one match is enough
    std::string principal_claim = "sub";
    std::vector<std::string> scopes = {};  // all are required
};

struct Grant {
    // "oauth:" and the value of the claim: no principal of a configured token has that form.
    std::string principal;
    Time expires;
    std::vector<std::string> scopes = {};  // all that the token has, required or not
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
