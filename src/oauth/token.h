// An access token in the form of a signed JWT (RFC 7519, 9068), read but not yet believed.
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

    // Fails for whatever is no such token of bounded size: an unknown or symmetric algorithm, none at all,
    // another type of JWT, and critical headers, none of which we know.
    static Result<Token> parse(std::string_view text);
};

}  // namespace oauth
