#include "config/rules.h"

#include <algorithm>

#include "util/strings.h"

namespace config {
namespace {

Error wrong(const std::string& where, const std::string& what, std::string hint) {
    return Error{.code = ErrorCode::InvalidArgument, .message = where + " " + what, .hint = std::move(hint)};
}

Result<std::string> text_at(const json::value& given, const std::string& where) {
    if (given.is_string()) return std::string(given.get_string());
    return wrong(where, "must be a text.", "* and ? match.");
}

// Accepts a single string as a list of one.
Result<std::vector<std::string>> texts_at(const json::value& given, const std::string& where) {
    std::vector<std::string> texts;
    const json::array* list = given.if_array();
    json::array alone{given};
    for (const json::value& each : list ? *list : alone) texts.push_back(TRY(text_at(each, where)));
    return texts;
}

Result<int> rate_at(const json::value& given, const std::string& where) {
    auto rate = json::as_integer(given);
    if (rate && *rate >= 1 && *rate <= 1'000'000) return static_cast<int>(*rate);
    return wrong(where, "must be a whole number of calls a minute, at least 1.", "");
}

Result<std::vector<std::string>> domains_at(const json::value& given, const std::string& where) {
    std::vector<std::string> domains = TRY(texts_at(given, where));
    if (domains.empty()) return wrong(where, "names no domain.", "Leave it out, or name one.");
    TRY(check_domains(domains, where));
    return domains;
}

Result<std::vector<std::string>> scopes_at(const json::value& given, const std::string& where) {
    std::vector<std::string> scopes = TRY(texts_at(given, where));
    if (scopes.empty()) return wrong(where, "names no scope.", "Leave it out, or name one.");
    for (const std::string& scope : scopes) {
        if (!is_scope(scope))
            return wrong(where, "names \"" + scope + "\", which is no scope.",
                         "A scope has no spaces, quotes or backslashes; write several as a list.");
    }
    return scopes;
}

Result<CallRuleConfig> read_rule(const json::object& given, const std::string& where) {
    CallRuleConfig rule;
    for (const auto& [key, value] : given) {
        std::string name(key), at = where + "." + name;
        if (name == "principal")
            rule.principal = TRY(text_at(value, at));
        else if (name == "session")
            rule.session = TRY(text_at(value, at));
        else if (name == "scopes")
            rule.scopes = TRY(scopes_at(value, at));
        else if (name == "tools")
            rule.tools = TRY(texts_at(value, at));
        else if (name == "capabilities")
            rule.capabilities = TRY(texts_at(value, at));
        else if (name == "deny")
            rule.deny = TRY(texts_at(value, at));
        else if (name == "allowedDomains")
            rule.allowed_domains = TRY(domains_at(value, at));
        else if (name == "blockedDomains")
            rule.blocked_domains = TRY(domains_at(value, at));
        else if (name == "rate")
            rule.rate = TRY(rate_at(value, at));
        else {
            const std::vector<std::string> known = {"principal",      "session",        "scopes",
                                                    "tools",          "capabilities",   "deny",
                                                    "allowedDomains", "blockedDomains", "rate"};
            std::string near = nearest_name(name, known);
            return wrong(
                where, "has an unknown key " + name + ".",
                near.empty() ? "It may have " + join(known, ", ") + "." : "Did you mean " + near + "?");
        }
    }
    if (!rule.scopes.empty() && rule.names_domains())
        return wrong(
            where, "has scopes together with domains, and only calls have scopes, not the requests of pages.",
            "Put the domains in another rule, which may name principals and sessions but no scopes.");
    return rule;
}

}  // namespace

bool is_scope(const std::string& text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\'; });
}

Result<void> check_domains(const std::vector<std::string>& domains, const std::string& where) {
    for (const std::string& domain : domains) {
        // A host has no such characters and no empty part.
        auto fits = [](char c) { return c > ' ' && c < 0x7F && !std::string_view("/@#%<>\\^|").contains(c); };
        bool is_text = !domain.empty() && std::ranges::all_of(domain, fits) && !domain.starts_with('.') &&
                       !domain.contains("..");
        // One colon begins a port, two or more belong to an IPv6 address.
        if (is_text && std::ranges::count(domain, ':') != 1) continue;
        return wrong(where, "names \"" + domain + "\", which is no domain.",
                     "Write it without scheme, port and path, such as example.com or *.example.com; names "
                     "beyond ASCII as xn--….");
    }
    return ok();
}

Result<std::vector<CallRuleConfig>> read_rules(const json::value& given) {
    std::vector<CallRuleConfig> rules;
    const json::array* list = given.if_array();
    for (const json::value& each : list ? *list : json::array{}) {
        std::string where = "security.rules[" + std::to_string(rules.size()) + "]";
        if (!each.is_object())
            return wrong(where, "must be an object.", "Such as {\"session\": \"reader-*\"}.");
        rules.push_back(TRY(read_rule(each.get_object(), where)));
    }
    return rules;
}

Result<SecretOrigins> read_secret_origins(const json::value& given) {
    SecretOrigins origins;
    const json::object* members = given.if_object();
    for (const auto& [name, value] : members ? *members : json::object{}) {
        std::string where = "security.secretOrigins." + std::string(name);
        auto& list = origins[std::string(name)] = TRY(texts_at(value, where));
        for (const std::string& origin : list) {
            if (origin.find("://") != std::string::npos) continue;
            return wrong(where, "names \"" + origin + "\", which is no origin.",
                         "Write it with its scheme, such as https://*.example.com.");
        }
    }
    return origins;
}

}  // namespace config
