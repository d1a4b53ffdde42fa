// An access token in the form of a signed JWT (RFC 7519, 9068), parsed but not yet verified.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "oauth/key.h"
#include "util/json.h"

namespace oauth {

struct Token {
    Algorithm algorithm;
    std::optional<std::string> key_id;
    json::object claims;
    std::string signed_part;  // header and claims as they were sent
    std::string signature;

    // Fails for any other text and for tokens that are too large: with an unknown, symmetric or missing
    // algorithm, another type of JWT, or critical headers, none of which we support.
    static Result<Token> parse(std::string_view text);
};

}  // namespace oauth
