// base64url as defined for JOSE (RFC 7515, section 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace oauth {

// Accepts only that alphabet, without padding, and only the canonical text for the bytes.
std::optional<std::string> decode_base64url(std::string_view text);
std::string encode_base64url(std::string_view bytes);

}  // namespace oauth
