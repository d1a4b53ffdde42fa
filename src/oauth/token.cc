#include "oauth/token.h"

#include <algorithm>

#include "oauth/base64url.h"
#include "util/strings.h"

namespace oauth {
namespace {

constexpr std::size_t kMaxToken = 16'384;  // bytes
constexpr std::size_t kMaxKeyId = 256;
constexpr int kMaxDepth = 16;

Error unreadable(std::string why) {
    return Error{.code = ErrorCode::InvalidArgument, .message = "The access token " + std::move(why)};
}

Result<json::object> parse_part(std::string_view text) {
    auto decoded = decode_base64url(text);
    auto parsed = decoded ? json::parse(*decoded, kMaxDepth) : Result<json::value>(unreadable(""));
    if (!parsed || !parsed->is_object()) return unreadable("is no JWT.");
    return parsed->get_object();
}

// "at+jwt" is an access token, "JWT" any token; other types, such as logout tokens or proofs of possession,
// are not credentials.
bool is_access_token(const json::object& header) {
    if (!json::find(header, "typ")) return true;
    std::string type = to_lower(json::find_string(header, "typ").value_or(""));
    constexpr std::string_view kMedia = "application/";
    if (type.starts_with(kMedia)) type.erase(0, kMedia.size());
    return type == "at+jwt" || type == "jwt";
}

}  // namespace

Result<Token> Token::parse(std::string_view text) {
    if (text.size() > kMaxToken) return unreadable("is too large.");
    std::size_t first = text.find('.'), last = text.rfind('.');
    if (std::ranges::count(text, '.') != 2) return unreadable("is no JWT.");
    json::object header = TRY(parse_part(text.substr(0, first)));
    auto algorithm = algorithm_of(json::find_string(header, "alg").value_or(""));
    if (!algorithm) return unreadable("is signed by none of RS256, PS256, ES256 and EdDSA.");
    if (json::find(header, "crit")) return unreadable("has critical headers that this server does not know.");
    if (!is_access_token(header)) return unreadable("is a JWT of another type.");
    auto key_id = json::find_string(header, "kid");
    if (json::find(header, "kid") && (!key_id || key_id->size() > kMaxKeyId))
        return unreadable("names its key by no usable text.");
    json::object claims = TRY(parse_part(text.substr(first + 1, last - first - 1)));
    auto signature = decode_base64url(text.substr(last + 1));
    if (!signature || signature->empty()) return unreadable("has no signature.");
    return Token{.algorithm = *algorithm,
                 .key_id = key_id ? std::optional<std::string>(*key_id) : std::nullopt,
                 .claims = std::move(claims),
                 .signed_part = std::string(text.substr(0, last)),
                 .signature = std::move(*signature)};
}

}  // namespace oauth
