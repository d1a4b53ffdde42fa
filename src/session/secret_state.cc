#include "session/secret_state.h"

#include <functional>

#include "policy/origin.h"
#include "util/loopback.h"

namespace session {
namespace {

constexpr std::string_view kBegin = "<secret", kEnd = "</secret>";

std::string as_uri(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF", kPlain = "-_.!~*'()";
    std::string encoded;
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        bool plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || kPlain.contains(c);
        if (plain)
            encoded += c;
        else
            encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return encoded;
}

std::string as_json(std::string_view text) {
    std::string quoted = json::serialize(json::value(text));
    return quoted.substr(1, quoted.size() - 2);
}

std::string encoded(std::string_view value, std::string_view as) {
    if (as == "uri") return as_uri(value);
    return as == "json" ? as_json(value) : std::string(value);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::string hidden(const Secrets& secrets, std::string text) {
    for (const std::string& name : secrets.names()) {
        std::string value = *secrets.find(name);
        replace_all(text, value, "<secret>" + name + "</secret>");
        for (std::string_view as : {"uri", "json"}) {
            std::string form = encoded(value, as);
            if (form != value)
                replace_all(text, form, "<secret as=\"" + std::string(as) + "\">" + name + "</secret>");
        }
    }
    // Other encodings are redacted: they cannot be put back as they were.
    return secrets.redact(std::move(text));
}

json::value hidden_in(const Secrets& secrets, json::value value) {
    if (json::array* items = value.if_array()) {
        for (json::value& item : *items) item = hidden_in(secrets, std::move(item));
    } else if (json::object* members = value.if_object()) {
        for (auto& member : *members) member.value() = hidden_in(secrets, std::move(member.value()));
    } else if (value.is_string()) {
        value = hidden(secrets, std::string(value.get_string()));
    }
    return value;
}

using MayHave = std::function<bool(const std::string& name)>;

struct Mark {
    std::size_t end = 0;  // zero: none
    std::string name, as;
};

// Reads the mark that begins at `at`.
Mark read_mark(std::string_view text, std::size_t at) {
    std::size_t open = text.find('>', at), close = text.find(kEnd, at);
    if (open == text.npos || close == text.npos || close < open) return {};
    std::string_view attributes = text.substr(at + kBegin.size(), open - at - kBegin.size());
    Mark mark{
        .end = close + kEnd.size(), .name = std::string(text.substr(open + 1, close - open - 1)), .as = ""};
    if (attributes == " as=\"uri\"") mark.as = "uri";
    if (attributes == " as=\"json\"") mark.as = "json";
    return attributes.empty() || !mark.as.empty() ? mark : Mark{};
}

Result<std::string> revealed(const Secrets& secrets, std::string text, const MayHave& may_have,
                             const std::string& where) {
    for (std::size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at)) {
        Mark mark = read_mark(text, at);
        auto value = mark.end == 0 ? std::nullopt : secrets.find(mark.name);
        if (!value) {
            ++at;
            continue;
        }
        if (!may_have(mark.name)) {
            return Error{.code = ErrorCode::PolicyDenied,
                         .message = "Secret \"" + mark.name +
                                    "\" is denied by security.secretOrigins: it is not for " + where + ".",
                         .hint = "Take it out of the state, or bind the secret to all of these origins."};
        }
        std::string form = encoded(*value, mark.as);
        text.replace(at, mark.end - at, form);
        at += form.size();
    }
    return text;
}

Result<json::value> revealed_in(const Secrets& secrets, json::value value, const MayHave& may_have,
                                const std::string& where) {
    if (json::array* items = value.if_array()) {
        for (json::value& item : *items) item = TRY(revealed_in(secrets, std::move(item), may_have, where));
    } else if (json::object* members = value.if_object()) {
        for (auto& member : *members)
            member.value() = TRY(revealed_in(secrets, std::move(member.value()), may_have, where));
    } else if (value.is_string()) {
        value = TRY(revealed(secrets, std::string(value.get_string()), may_have, where));
    }
    return value;
}

std::string text_of(const json::value& item, std::string_view key) {
    const json::object* members = item.if_object();
    return members ? std::string(json::find_string(*members, key).value_or("")) : "";
}

// Reads the place of a cookie as the browser does. A host in any other notation is unknown.
CookieReach reach_of(const json::value& cookie) {
    constexpr std::string_view kHostCharacters = "abcdefghijklmnopqrstuvwxyz0123456789.-_[]:";
    std::string domain = text_of(cookie, "domain");
    CookieReach reach;
    reach.has_subdomains = domain.starts_with('.');
    std::string url =
        domain.empty() ? text_of(cookie, "url") : "https://" + domain.substr(reach.has_subdomains);
    // The browser may take a cookie with both for one of either.
    bool is_unclear = !domain.empty() && !text_of(cookie, "url").empty();
    policy::Origin origin = policy::read_origin(url);
    if (!is_unclear && !origin.host.starts_with('.') &&
        origin.host.find_first_not_of(kHostCharacters) == std::string::npos)
        reach.host = origin.host;
    const json::object* members = cookie.if_object();
    bool secure = members && json::find_bool(*members, "secure").value_or(false);
    // Browsers send secure cookies to this machine over http, too.
    reach.has_http = !secure || is_loopback(std::string_view(reach.host)) || reach.host == "localhost" ||
                     reach.host.ends_with(".localhost") || reach.host.ends_with(".localhost.");
    return reach;
}

std::string to_text(const CookieReach& reach, const json::value& cookie) {
    if (reach.host.empty())
        return "a cookie of " + text_of(cookie, "domain") + text_of(cookie, "url") + ", which is no host";
    return "a cookie that " + std::string(reach.has_http ? "http and https" : "https") +
           " origins get, those on every port of " + reach.host +
           (reach.has_subdomains ? " and its subdomains" : "");
}

json::array* list_of(json::value& state, std::string_view key) {
    json::object* members = state.if_object();
    json::value* list = members ? members->if_contains(key) : nullptr;
    return list ? list->if_array() : nullptr;
}

}  // namespace

json::value hide_in_state(const Secrets& secrets, json::value state) {
    return secrets.empty() ? state : hidden_in(secrets, std::move(state));
}

Result<json::value> reveal_in_state(const Secrets& secrets, json::value state) {
    if (secrets.empty()) return state;
    if (json::array* cookies = list_of(state, "cookies")) {
        for (json::value& cookie : *cookies) {
            CookieReach reach = reach_of(cookie);
            auto may_have = [&](const std::string& name) { return secrets.is_for(name, reach); };
            std::string where = to_text(reach, cookie);
            cookie = TRY(revealed_in(secrets, std::move(cookie), may_have, where));
        }
    }
    if (json::array* origins = list_of(state, "origins")) {
        for (json::value& each : *origins) {
            std::string origin = text_of(each, "origin");
            auto may_have = [&](const std::string& name) { return secrets.is_for(name, origin); };
            each = TRY(revealed_in(secrets, std::move(each), may_have, origin));
        }
    }
    return state;
}

}  // namespace session
