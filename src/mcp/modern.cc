#include "mcp/modern.h"

#include <algorithm>
#include <array>

#include "mcp/version.h"
#include "tools/session_param.h"
#include "util/strings.h"

namespace mcp {
namespace {

constexpr std::array<std::string_view, 10> kMethods = {
    "server/discover", "tools/list",   "tools/call",  "resources/list",      "resources/templates/list",
    "resources/read",  "prompts/list", "prompts/get", "completion/complete", "subscriptions/listen",
};

Rejection invalid_params(std::string message) {
    return {.error = {.code = kInvalidParams, .message = "Invalid params: " + std::move(message)}};
}

Rejection header_mismatch(std::string message) {
    return {.error = {.code = kHeaderMismatch, .message = "Header mismatch: " + std::move(message)}};
}

// Decodes a header value: trims it, and unwraps it from `=?base64?…?=` where present.
std::optional<std::string> decode_header(std::string_view raw) {
    constexpr std::string_view kPrefix = "=?base64?", kSuffix = "?=";
    std::string_view value = trim(raw);
    if (!value.starts_with(kPrefix) || !value.ends_with(kSuffix) ||
        value.size() < kPrefix.size() + kSuffix.size()) {
        return std::string(value);
    }
    value.remove_prefix(kPrefix.size());
    value.remove_suffix(kSuffix.size());
    // Strict: refuses a text that is not the exact encoding of its bytes.
    auto decoded = base64_decode(value);
    if (!decoded || base64_encode(*decoded) != value || !is_valid_utf8(*decoded)) return std::nullopt;
    return std::move(*decoded);
}

std::optional<Rejection> check_header(const HeaderLookup& headers, std::string_view name,
                                      std::string_view expected) {
    auto raw = headers(name);
    if (!raw) return header_mismatch("the " + std::string(name) + " header is missing.");
    auto value = decode_header(*raw);
    if (!value) return header_mismatch("the " + std::string(name) + " header is not valid base64.");
    if (*value != expected) {
        return header_mismatch("the " + std::string(name) + " header says \"" + *value +
                               "\", the body says \"" + std::string(expected) + "\".");
    }
    return std::nullopt;
}

// The parameter whose value must stand in the Mcp-Name header.
std::string_view named_param(std::string_view method) {
    if (method == "tools/call" || method == "prompts/get") return "name";
    if (method == "resources/read") return "uri";
    return {};
}

bool same_value(const json::value& body, std::string_view header) {
    if (body.is_string()) return std::string_view(body.get_string()) == header;
    if (body.is_bool()) return header == (body.get_bool() ? "true" : "false");
    auto parsed = json::parse(header);
    auto number = json::as_integer(body);
    return parsed && number && json::as_integer(*parsed) == number;
}

// Section "x-mcp-header": a marked argument must stand in its own header too, with the same value.
std::optional<Rejection> check_argument_headers(const json::object& schema, const json::object* arguments,
                                                const HeaderLookup& headers) {
    const json::object* properties = json::find_object(schema, "properties");
    if (!properties) return std::nullopt;
    for (const auto& [name, property] : *properties) {
        const auto* members = property.if_object();
        if (!members) continue;
        const json::value* given = arguments ? json::find(*arguments, name) : nullptr;
        if (!given && arguments && tools::is_session_argument(name))
            given = tools::find_session_argument(*arguments);
        if (auto marked = json::find_string(*members, "x-mcp-header")) {
            std::string header = "Mcp-Param-" + std::string(*marked);
            auto raw = headers(header);
            bool in_body = given && !given->is_null();
            if (!in_body && !raw) continue;
            if (!raw) return header_mismatch("the " + header + " header is missing.");
            auto value = decode_header(*raw);
            if (!value) return header_mismatch("the " + header + " header is not valid base64.");
            if (!in_body || !same_value(*given, *value)) {
                return header_mismatch("the " + header + " header does not match the argument \"" +
                                       std::string(name) + "\".");
            }
        } else if (members->contains("properties")) {
            auto nested = check_argument_headers(*members, given ? given->if_object() : nullptr, headers);
            if (nested) return nested;
        }
    }
    return std::nullopt;
}

std::optional<Rejection> check_version(std::string_view version, const HeaderLookup* headers) {
    if (headers) {
        auto header = (*headers)("MCP-Protocol-Version");
        if (header && trim(*header) != version) {
            return header_mismatch("the MCP-Protocol-Version header says \"" + std::string(trim(*header)) +
                                   "\", the body says \"" + std::string(version) + "\".");
        }
    }
    if (version != kModernVersion) {
        return Rejection{.error = {.code = kUnsupportedVersion,
                                   .message = "Unsupported protocol version: " + std::string(version),
                                   .data = json::object{{"supported", json::array{kModernVersion}},
                                                        {"requested", version}}}};
    }
    return std::nullopt;
}

std::optional<Rejection> check_request_headers(const Request& request, const HeaderLookup& headers) {
    if (!headers("MCP-Protocol-Version"))
        return header_mismatch("the MCP-Protocol-Version header is missing.");
    if (auto bad = check_header(headers, "Mcp-Method", request.method)) return bad;
    if (std::string_view param = named_param(request.method); !param.empty()) {
        auto value = json::find_string(request.params, param);
        if (value) return check_header(headers, "Mcp-Name", *value);
    }
    return std::nullopt;
}

std::shared_ptr<ClientState> read_envelope(const json::object& meta, std::string_view version,
                                           const json::object& capabilities, tools::Caller caller) {
    auto state = std::make_shared<ClientState>();
    state->era = Era::Modern;
    state->version = version;
    state->capabilities = capabilities;
    state->caller = std::move(caller);
    if (auto level = json::find_string(meta, kMetaLogLevel)) state->log_level = parse_message_level(*level);
    if (const json::object* info = json::find_object(meta, kMetaClientInfo)) {
        state->caller.client_name = json::find_string(*info, "name").value_or("");
        state->caller.client_version = json::find_string(*info, "version").value_or("");
    }
    return state;
}

}  // namespace

bool has_modern_claim(const json::object& params) {
    const json::object* meta = json::find_object(params, "_meta");
    return meta && meta->contains(kMetaVersion);
}

bool has_modern_claim(const json::value& message) {
    const json::value* params = json::find(message, "params");
    return params && params->is_object() && has_modern_claim(params->get_object());
}

bool is_modern_method(std::string_view method) {
    return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

std::variant<std::shared_ptr<const ClientState>, Rejection> open_modern_request(
    const Request& request, const HeaderLookup* headers, const tools::Registry& registry,
    tools::Caller caller) {
    const json::object* meta = json::find_object(request.params, "_meta");
    auto version = meta ? json::find_string(*meta, kMetaVersion) : std::nullopt;
    if (!version) {
        return invalid_params("params._meta[\"" + std::string(kMetaVersion) + "\"] must be a string.");
    }
    const json::object* capabilities = json::find_object(*meta, kMetaCapabilities);
    if (!capabilities) {
        return invalid_params("params._meta[\"" + std::string(kMetaCapabilities) + "\"] must be an object.");
    }
    if (auto rejection = check_version(*version, headers)) return std::move(*rejection);
    if (headers) {
        if (auto rejection = check_request_headers(request, *headers)) return std::move(*rejection);
    }
    if (!is_modern_method(request.method)) {
        return Rejection{.error = {.code = kMethodNotFound, .message = "Method not found: " + request.method},
                         .http_status = 404};
    }
    if (headers && request.method == "tools/call") {
        auto tool = registry.find_tool(json::find_string(request.params, "name").value_or(""));
        if (tool) {
            const json::object* arguments = json::find_object(request.params, "arguments");
            if (auto rejection = check_argument_headers(tool->schema_for(caller), arguments, *headers))
                return std::move(*rejection);
        }
    }
    return std::shared_ptr<const ClientState>(
        read_envelope(*meta, *version, *capabilities, std::move(caller)));
}

}  // namespace mcp
