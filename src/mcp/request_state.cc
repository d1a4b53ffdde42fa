#include "mcp/request_state.h"

#include <algorithm>

#include "util/crypto.h"
#include "util/strings.h"

namespace mcp {
namespace {

// Sorts members by name, so that a client may write them in another order when it retries.
json::value canonical(const json::value& from) {
    if (const auto* members = from.if_object()) {
        std::vector<std::string_view> names;
        for (const auto& member : *members) names.push_back(member.key());
        std::sort(names.begin(), names.end());
        json::object sorted;
        for (std::string_view name : names) sorted[name] = canonical(*members->if_contains(name));
        return sorted;
    }
    if (const auto* elements = from.if_array()) {
        json::array copied;
        for (const json::value& element : *elements) copied.push_back(canonical(element));
        return copied;
    }
    return from;
}

std::int64_t seconds(RequestStateSealer::Clock::time_point at) {
    return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

Error rejected(std::string why) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "Invalid requestState: " + std::move(why) + ".",
                 .hint = "Send the original request again, without requestState."};
}

}  // namespace

RequestStateSealer::RequestStateSealer() : key_(random_bytes(32)) {}

std::string RequestStateSealer::digest(const Request& request, std::string_view principal) const {
    json::object bound{{"method", request.method}, {"principal", principal}};
    for (std::string_view key : {"name", "uri", "arguments"}) {
        if (const json::value* part = json::find(request.params, key)) bound[key] = canonical(*part);
    }
    return hex_encode(sha256(json::serialize(bound)));
}

std::string RequestStateSealer::seal(const Request& request, std::string_view principal,
                                     const json::object& answers, Clock::time_point now) const {
    json::object payload{{"digest", digest(request, principal)},
                         {"expires", seconds(now + kLifetime)},
                         {"answers", answers},
                         {"number", hex_encode(random_bytes(8))}};
    std::string body = base64_encode(json::serialize(payload));
    return body + "." + base64_encode(hmac_sha256(key_, body));
}

Result<json::object> RequestStateSealer::unseal(std::string_view state, const Request& request,
                                                std::string_view principal, Clock::time_point now) const {
    std::size_t dot = state.rfind('.');
    if (dot == std::string_view::npos) return rejected("it is not one this server made");
    std::string_view body = state.substr(0, dot);
    if (!equal_in_constant_time(state.substr(dot + 1), base64_encode(hmac_sha256(key_, body)))) {
        return rejected("its signature does not match");
    }
    std::string text = TRY(base64_decode(body));
    json::value payload = TRY(json::parse(text));
    const json::object& members = payload.as_object();
    if (json::find_string(members, "digest") != digest(request, principal)) {
        return rejected("it belongs to another request");
    }
    if (json::find_integer(members, "expires").value_or(0) < seconds(now)) return rejected("it has expired");
    return *json::find_object(members, "answers");
}

}  // namespace mcp
