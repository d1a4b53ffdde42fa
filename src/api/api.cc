#include "api/api.h"

#include "api/api_routes.h"
#include "tools/session_param.h"
#include "util/error_codes.h"
#include "util/strings.h"

namespace api {
namespace {

using transport::HttpExchange;

void respond(HttpExchange& exchange, const ApiAnswer& answer) {
    transport::Headers headers{{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
    if (answer.status == 503 || answer.status == 429)
        headers.emplace_back("Retry-After", std::to_string(answer.retry_after.count()));
    exchange.respond(answer.status, headers, json::serialize(answer.body));
}

void respond(HttpExchange& exchange, int status, json::object body) {
    respond(exchange, ApiAnswer{.body = std::move(body), .status = status});
}

int status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::NotFound:
        case ErrorCode::SessionNotFound:
            return 404;
        case ErrorCode::InvalidArgument:
        case ErrorCode::MissingParameter:
        case ErrorCode::InvalidUrl:
            return 400;
        case ErrorCode::PolicyDenied:
            return 403;
        case ErrorCode::ResourceExhausted:
            return 503;
        case ErrorCode::Timeout:
            return 504;
        // The page's server or the browser failed.
        case ErrorCode::NetworkError:
        case ErrorCode::NavigationFailed:
        case ErrorCode::BrowserCrashed:
            return 502;
        default:
            return 500;
    }
}

json::object error_body(std::string_view code, std::string_view message, std::string_view hint = {}) {
    json::object body{{"error", code}, {"message", message}, {"details", nullptr}};
    if (!hint.empty()) body["details"] = hint;
    return body;
}

json::object error_body(const Error& error) {
    return error_body(about(error.code).name, error.message, error.hint);
}

ApiAnswer error_answer(const Error& error) {
    ApiAnswer answer{.body = error_body(error), .status = status_of(error.code)};
    // A caller over its rate limit gets a time to retry, unlike a caller of an overloaded server.
    auto details = json::parse(error.details.empty() ? "{}" : error.details);
    const json::value* wait = details ? json::find(*details, "retryAfterMs") : nullptr;
    auto milliseconds = wait ? json::as_integer(*wait) : std::nullopt;
    if (!milliseconds) return answer;
    answer.status = 429;
    answer.retry_after = std::chrono::ceil<std::chrono::seconds>(std::chrono::milliseconds(*milliseconds));
    return answer;
}

// The part of the path that the pattern's last part matches; nothing when the route is another one.
std::optional<std::string> match(std::string_view pattern, std::string_view path) {
    std::size_t open = pattern.find('{');
    if (open == pattern.npos) return pattern == path ? std::optional<std::string>("") : std::nullopt;
    if (!path.starts_with(pattern.substr(0, open))) return std::nullopt;
    std::string_view rest = path.substr(open);
    if (rest.empty() || rest.find('/') != rest.npos) return std::nullopt;
    return transport::decode_url(rest);
}

bool is_json(const HttpExchange& exchange) {
    std::string_view type = exchange.header("Content-Type").value_or("");
    return equals_ignoring_case(trim(type.substr(0, type.find(';'))), "application/json");
}

// Reads the body; responds with an error when it is invalid.
bool read_body(HttpExchange& exchange, json::object& body) {
    if (exchange.method() != "POST") return true;
    if (!is_json(exchange)) {
        respond(exchange, 415,
                error_body("UNSUPPORTED_MEDIA_TYPE", "Content-Type must be application/json."));
        return false;
    }
    auto parsed = json::parse(exchange.body().empty() ? "{}" : exchange.body());
    if (!parsed || !parsed->is_object()) {
        respond(exchange, 400,
                error_body("INVALID_ARGUMENT",
                           parsed ? "The body must be a JSON object." : parsed.error().message));
        return false;
    }
    body = std::move(parsed->as_object());
    return true;
}

std::string unknown(std::string_view name, const std::vector<ApiParameter>& known) {
    std::vector<std::string> names;
    for (const ApiParameter& each : known) names.emplace_back(each.name);
    std::string near = nearest_name(name, names);
    std::string what = "Unknown parameter \"" + std::string(name) + "\"";
    if (!near.empty()) return what + ": did you mean \"" + near + "\"?";
    return what + (names.empty() ? ": there are none here." : "; there are " + join(names, ", ") + ".");
}

// Renames parameters to the names that the route's handler uses; returns an error for an unknown one.
template <class Members>
std::optional<std::string> rename_members(const std::vector<ApiParameter>& known, Members& members) {
    Members renamed;
    for (auto& [key, value] : members) {
        std::string_view name = key;
        auto found = std::ranges::find_if(known, [&](const ApiParameter& each) {
            return each.name == name || (!each.other_name.empty() && each.other_name == name);
        });
        if (found == known.end()) return unknown(name, known);
        std::string known_name(found->name);
        if (renamed.contains(known_name) && renamed[known_name] != value)
            return "\"" + known_name + "\" is given twice.";
        renamed[known_name] = value;
    }
    members = std::move(renamed);
    return std::nullopt;
}

std::map<std::string, std::string> parameters_of(std::string_view query) {
    std::map<std::string, std::string> parameters;
    for (const std::string& pair : split(query, '&')) {
        std::size_t equals = pair.find('=');
        std::string value =
            equals == pair.npos ? "" : transport::decode_url(std::string_view(pair).substr(equals + 1));
        if (!pair.empty())
            parameters.emplace(transport::decode_url(std::string_view(pair).substr(0, equals)),
                               std::move(value));
    }
    return parameters;
}

// The reason why the body does not fit the route; nothing when it does.
std::optional<std::string> misfit(const ApiRoute& route, const json::object& body) {
    for (const ApiParameter& each : route.body) {
        const json::value* given = json::find(body, each.name);
        if (!given || given->is_null()) {
            if (each.required) return "\"" + std::string(each.name) + "\" is missing.";
            continue;
        }
        bool fits = each.type == "string"   ? given->is_string()
                    : each.type == "object" ? given->is_object()
                                            : given->is_number();
        std::string_view article = each.type == "object" ? "an " : "a ";
        if (!fits)
            return "\"" + std::string(each.name) + "\" must be " + std::string(article) +
                   std::string(each.type) + ".";
        if (each.name == "session_id" &&
            (given->get_string().empty() || given->get_string().size() > tools::kMaxSessionNameLength))
            return "\"session_id\" must have 1 to " + std::to_string(tools::kMaxSessionNameLength) +
                   " bytes.";
    }
    return std::nullopt;
}

}  // namespace

std::string ApiRequest::parameter(std::string_view name) const {
    auto found = parameters.find(std::string(name));
    return found == parameters.end() ? "" : found->second;
}

void Api::handle(mcp::Server& server, const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller) {
    server_ = &server;
    if (closed_) return respond(*exchange, 503, error_body("SHUTTING_DOWN", "The server is shutting down."));
    std::string allowed;
    for (const ApiRoute& route : api_routes()) {
        auto argument = match(route.path, exchange->path());
        if (!argument) continue;
        if (route.method != exchange->method()) {
            allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
            continue;
        }
        if (route.needs_record) {
            auto* store = options_.history.store;
            if (!store) {
                return respond(*exchange, 503,
                               error_body("RECORD_OFF", "This server keeps no record.",
                                          "It was started with --no-record, or found no place for it."));
            }
            if (store::Health health = store->health(); health.state == store::Health::State::Degraded)
                return respond(*exchange, 503,
                               error_body("DEGRADED", "Calls cannot be recorded now.", health.reason));
        }
        ApiRequest request{.caller = std::move(caller),
                           .path_argument = std::move(*argument),
                           .query = std::string(exchange->query()),
                           .parameters = parameters_of(exchange->query())};
        if (!read_body(*exchange, request.body)) return;
        auto wrong = rename_members(route.query, request.parameters);
        if (!wrong) wrong = rename_members(route.body, request.body);
        if (!wrong) wrong = misfit(route, request.body);
        if (wrong) return respond(*exchange, 400, error_body("INVALID_ARGUMENT", *wrong));
        std::uint64_t number = running_.add(
            answer(exchange, std::string(route.path), request.caller, run_route(route, request)));
        exchange->on_gone([this, number] { running_.drop(number); });
        return;
    }
    if (!allowed.empty()) {
        exchange->respond(
            405, {{"Content-Type", "application/json"}, {"Allow", allowed}},
            json::serialize(error_body("METHOD_NOT_ALLOWED", "This path takes " + allowed + ".")));
        return;
    }
    respond(
        *exchange, 404,
        error_body("NOT_FOUND", "There is nothing at this path.", "/api/openapi.json says what there is."));
}

Task<> Api::answer(std::shared_ptr<HttpExchange> exchange, std::string path, tools::Caller caller,
                   Task<ApiAnswer> task) {
    // The task is dropped when its client disconnects, which gets no response, or when the server shuts down.
    struct Reply {
        HttpExchange& exchange;
        bool given = false;
        ~Reply() {
            if (!given) respond(exchange, 503, error_body("SHUTTING_DOWN", "The server is shutting down."));
        }
    } reply{*exchange};
    // Slightly longer than the timeout of the tool call that the request may contain.
    Deadline deadline = Deadline::in(server_->options().call_timeout + std::chrono::seconds(1));
    tools::CallStage stage{.what = path};
    auto outcome = co_await as_result(
        server_->watchdog().watch({path, caller, stage, deadline},
                                  with_deadline(server_->loop(), std::move(task), deadline, "The request")));
    reply.given = true;
    ApiAnswer shown = outcome ? std::move(*outcome) : error_answer(outcome.error());
    shown.body = co_await json::parse(recorder_.redacted_json(json::serialize(shown.body)));
    respond(*exchange, shown);
}

}  // namespace api
