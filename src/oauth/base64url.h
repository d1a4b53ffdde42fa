// base64url as JOSE has it (RFC 7515, section 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace oauth {

// Only that alphabet, without padding, and no other text for the same bytes.
std::optional<std::string> decode_base64url(std::string_view text);
std::string encode_base64url(std::string_view bytes);

}  // namespace oauth
