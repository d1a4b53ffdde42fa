#include "oauth/claims.h"

#include <algorithm>
#include <optional>

#include "util/strings.h"

namespace oauth {
namespace {

using Seconds = std::chrono::duration<double>;

// Tolerates small differences between clocks.
constexpr std::chrono::seconds kSkew{30};
constexpr std::size_t kMaxPrincipal = 255;
constexpr double kLastTime = 253'402'300'799;  // the end of the year 9999

Refusal invalid(std::string why) {
    return {Refusal::Reason::InvalidToken, "The access token " + std::move(why)};
}

// A NumericDate (RFC 7519, section 2).
std::optional<Time> time_of(const json::value& value) {
    if (!value.is_number()) return std::nullopt;
    double seconds = value.to_number<double>();
    if (!(seconds >= 0 && seconds <= kLastTime)) return std::nullopt;
    return Time(std::chrono::duration_cast<Time::duration>(Seconds(seconds)));
}

std::optional<Refusal> check_time(const json::object& claims, Time now) {
    for (const char* name : {"exp", "nbf", "iat"}) {
        const json::value* value = json::find(claims, name);
        if (value && !time_of(*value)) return invalid(std::string("has no time in ") + name + ".");
    }
    const json::value* expires = json::find(claims, "exp");
    if (!expires) return invalid("never expires.");
    if (now >= *time_of(*expires) + kSkew) return invalid("has expired.");
    for (const char* name : {"nbf", "iat"}) {
        const json::value* value = json::find(claims, name);
        if (value && *time_of(*value) > now + kSkew) return invalid("is not valid yet.");
    }
    return std::nullopt;
}

// A string, or an array of strings.
bool names_one_of(const json::value* given, const std::vector<std::string>& wanted) {
    auto is_wanted = [&](const json::value& each) {
        return each.is_string() &&
               std::ranges::find(wanted, std::string_view(each.get_string())) != wanted.end();
    };
    if (!given) return false;
    if (const json::array* list = given->if_array()) return std::ranges::any_of(*list, is_wanted);
    return is_wanted(*given);
}

// `scope` of RFC 8693, or `scp`, which some issuers use.
std::vector<std::string> scopes_of(const json::object& claims) {
    const json::value* given = json::find(claims, "scope");
    if (!given) given = json::find(claims, "scp");
    std::vector<std::string> scopes;
    if (given && given->is_string()) scopes = split(std::string_view(given->get_string()), ' ');
    if (const json::array* list = given ? given->if_array() : nullptr) {
        for (const json::value& each : *list)
            if (each.is_string()) scopes.emplace_back(each.get_string());
    }
    return scopes;
}

// Rules are patterns of principals: a principal with pattern characters would match others.
bool can_be_principal(std::string_view name) {
    bool is_plain = std::ranges::none_of(name, [](char c) {
        auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F || c == '*' || c == '?';
    });
    return !name.empty() && name.size() <= kMaxPrincipal && is_plain && is_valid_utf8(name);
}

}  // namespace

Verdict check_claims(const json::object& claims, const Expected& expected, Time now) {
    if (json::find_string(claims, "iss") != expected.issuer) return invalid("is of another issuer.");
    if (!names_one_of(json::find(claims, "aud"), expected.audiences))
        return invalid("is for another server: its audience is not this one.");
    if (auto refusal = check_time(claims, now)) return *refusal;
    // Such a token needs proof that its sender holds a key, which is not supported here.
    if (json::find(claims, "cnf")) return invalid("is bound to a key of its holder, which is not supported.");
    auto name = json::find_string(claims, expected.principal_claim);
    if (!name || !can_be_principal(*name))
        return invalid("does not say who its bearer is: its claim \"" + expected.principal_claim +
                       "\" is no usable name.");
    std::vector<std::string> granted = scopes_of(claims);
    for (const std::string& scope : expected.scopes) {
        if (std::ranges::find(granted, scope) == granted.end())
            return Refusal{Refusal::Reason::InsufficientScope,
                           "The access token lacks the scope " + scope + "."};
    }
    return Grant{.principal = std::string(kPrincipalPrefix) + std::string(*name),
                 .expires = *time_of(claims.at("exp")),
                 .scopes = std::move(granted)};
}

}  // namespace oauth
