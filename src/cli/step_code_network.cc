#include <algorithm>

#include "cli/step_code.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace cli::step_code {
namespace {

using tools::quote;

std::string route_code(const WrittenCall& call, const std::string& pattern, const std::string& handler) {
    return "await " + context_of(call) + ".route(" + quote(pattern.empty() ? "**" : pattern) + ", " +
           handler + ");";
}

// The headers as an object, with names as Playwright gives those of requests.
std::string headers_code(const json::array& headers, bool as_requested) {
    std::string members = as_requested ? "...route.request().headers()" : "";
    for (const json::value& each : headers) {
        std::string line(each.is_string() ? std::string_view(each.get_string()) : std::string_view());
        std::size_t colon = line.find(':');
        if (colon == 0 || colon == line.npos) continue;
        std::string name = to_lower(trim(std::string_view(line).substr(0, colon)));
        members += (members.empty() ? "" : ", ") + quote(name) + ": " +
                   quote(trim(std::string_view(line).substr(colon + 1)));
    }
    return "{ " + members + " }";
}

}  // namespace

Code browser_route(const WrittenCall& call) {
    const json::object& params = call.params;
    std::string pattern = text_of(params, "pattern");
    auto is_given = [&](std::string_view name) {
        const json::value* given = json::find(params, name);
        return given && !given->is_null();
    };
    if (is_given("status") || is_given("body")) {
        json::object answer;
        if (!is_given("status")) answer["status"] = 200;
        for (std::string_view name : {"status", "body", "contentType"}) {
            if (is_given(name)) answer[name] = params.at(name);
        }
        return route_code(
            call, pattern,
            "route => route.fulfill(" + tools::to_javascript(answer, tools::Layout::OneLine) + ")");
    }
    std::string handler =
        "async route => {\n  const headers = " + headers_code(list_of(params, "headers"), true) + ";\n";
    for (const std::string& name : split(text_of(params, "removeHeaders"), ',')) {
        if (!trim(name).empty()) handler += "  delete headers[" + quote(to_lower(trim(name))) + "];\n";
    }
    return route_code(call, pattern, handler + "  await route.continue({ headers });\n}");
}

Code browser_unroute(const WrittenCall& call) {
    std::string pattern = text_of(call.params, "pattern");
    if (pattern.empty()) {
        call.handlers.clear();
        return "await " + context_of(call) + ".unrouteAll();";
    }
    std::erase_if(call.handlers,
                  [&](const auto& each) { return each.first.substr(0, each.first.find('\n')) == pattern; });
    return "await " + context_of(call) + ".unroute(" + quote(pattern) + ");";
}

namespace {

// An argument of mock_response, by its name or as a member of `response`.
const json::value* mock_argument(const json::object& params, std::string_view name) {
    const json::value* given = json::find(params, name);
    if (given && !given->is_null()) return given;
    const json::value* response = json::find(params, "response");
    const json::object* members = response ? response->if_object() : nullptr;
    if (!members) return name == "body" ? response : nullptr;
    // A response without these members is the body itself.
    bool is_body = std::ranges::none_of(*members, [](const auto& member) {
        std::string_view key = member.key();
        return key == "status" || key == "body" || key == "contentType" || key == "headers";
    });
    return is_body && name == "body" ? response : json::find(*members, name);
}

}  // namespace

Code mock_response(const WrittenCall& call) {
    std::string pattern = text_of(call.params, "pattern");
    if (pattern.empty()) pattern = text_of(call.params, "url");
    const json::value* body = mock_argument(call.params, "body");
    const json::value* status = mock_argument(call.params, "status");
    const json::value* type = mock_argument(call.params, "contentType");
    const json::value* headers = mock_argument(call.params, "headers");
    std::string text = !body               ? ""
                       : body->is_string() ? std::string(body->get_string())
                                           : json::serialize(*body);
    std::string_view shown = trim(text);
    bool is_json = (shown.starts_with('{') || shown.starts_with('[')) && json::parse(shown).has_value();
    std::string answer =
        "status: " + (status ? literal(*status) : "200") + ", contentType: " +
        (type && type->is_string() ? literal(*type) : quote(is_json ? "application/json" : "text/plain"));
    if (headers && headers->is_object()) answer += ", headers: " + json::serialize(*headers);
    return route_code(call, pattern, "route => route.fulfill({ " + answer + ", body: " + quote(text) + " })");
}

Code block_resource(const WrittenCall& call) {
    std::string pattern = text_of(call.params, "pattern");
    if (pattern.empty()) pattern = "**";
    json::array types = list_of(call.params, "resourceTypes", "resourceType");
    std::string key = pattern + "\n" + json::serialize(types);
    auto known = call.handlers.find(key);
    if (!json::find_bool(call.params, "blocked").value_or(true)) {
        if (known == call.handlers.end()) return "";
        std::string name = known->second;
        call.handlers.erase(known);
        return "await " + context_of(call) + ".unroute(" + quote(pattern) + ", " + name + ");";
    }
    std::string code;
    if (known == call.handlers.end()) {
        known = call.handlers.emplace(key, call.numbered("block")).first;
        auto has = [&](std::string_view type) {
            return std::ranges::find(types, json::value(type)) != types.end();
        };
        // The browser does not distinguish these two when it sends a request.
        if (has("xhr") != has("fetch")) types.emplace_back(has("xhr") ? "fetch" : "xhr");
        code = "const " + known->second + " = route => ";
        if (!types.empty()) code += literal(types) + ".includes(route.request().resourceType()) ? ";
        code += "route.abort('blockedbyclient')";
        if (!types.empty()) code += " : route.fallback()";
        code += ";\n";
    }
    return code + route_code(call, pattern, known->second);
}

Code set_offline(const WrittenCall& call) {
    bool offline = json::find_bool(call.params, "offline").value_or(false);
    return "await " + context_of(call) + ".setOffline(" + (offline ? "true" : "false") + ");";
}

// Playwright has no method for it.
Code set_throttling(const WrittenCall& call) {
    json::object conditions{{"offline", false}, {"latency", 0}};
    for (auto [name, member] :
         {std::pair{"latency", "latency"}, std::pair{"downloadSpeed", "downloadThroughput"},
          std::pair{"uploadSpeed", "uploadThroughput"}}) {
        const json::value* given = json::find(call.params, name);
        if (given && given->is_number())
            conditions[member] = *given;
        else
            conditions.emplace(member, -1);
    }
    return "await (await " + context_of(call) + ".newCDPSession(" + std::string(call.page) +
           ")).send('Network.emulateNetworkConditions', " +
           tools::to_javascript(conditions, tools::Layout::OneLine) + ");";
}

}  // namespace cli::step_code
