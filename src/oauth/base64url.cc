#include "oauth/base64url.h"

#include <algorithm>

#include "util/strings.h"

namespace oauth {

std::string encode_base64url(std::string_view bytes) {
    std::string text = base64_encode(bytes);
    text.resize(text.find_last_not_of('=') + 1);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return text;
}

std::optional<std::string> decode_base64url(std::string_view text) {
    auto bytes = base64_decode(text);
    if (!bytes || encode_base64url(*bytes) != text) return std::nullopt;
    return std::move(*bytes);
}

}  // namespace oauth
