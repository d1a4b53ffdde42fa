// Verifies access tokens and returns their principals.
#pragma once

#include "oauth/claims.h"
#include "oauth/issuer.h"
#include "oauth/token.h"

namespace oauth {

struct VerifierOptions {
    std::string issuer;
    std::string principal_claim = "sub";
    std::vector<std::string> scopes = {};
};

// Accepts only tokens that the issuer signed for this server. Lives on the main loop and outlives its tasks.
class Verifier {
public:
    Verifier(Loop& loop, VerifierOptions options, Fetch fetch, Log& log,
             Now now = std::chrono::system_clock::now);

    // `audiences` are our names; a token for one of them is for us.
    Task<Verdict> verify(std::string token, std::vector<std::string> audiences);

private:
    Task<bool> is_signed(const Token& token);

    VerifierOptions options_;
    Now now_;
    Issuer issuer_;
};

}  // namespace oauth
