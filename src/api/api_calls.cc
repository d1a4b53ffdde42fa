// The API's calls and sessions.
#include <algorithm>

#include "api/api.h"
#include "api/api_client.h"
#include "api/api_routes.h"
#include "mcp/version.h"
#include "record/open.h"
#include "store/time_text.h"
#include "tools/history_text.h"
#include "tools/session_param.h"
#include "tools/typed_arguments.h"
#include "util/crypto.h"
#include "util/error_codes.h"

namespace api {
namespace {

// Receives the answer to an MCP request that the API made.
class Captured final : public mcp::ResponseSink {
public:
    explicit Captured(Completion<std::string> message) : message_(message) {}
    void notify(std::string) override {}
    void respond(std::string message, int) override { message_.set(std::move(message)); }

private:
    Completion<std::string> message_;
};

std::string text(const json::object& body, std::string_view key) {
    return std::string(json::find_string(body, key).value_or(""));
}

ApiAnswer of_another_call(const std::string& request_id) {
    return {.body = json::object{{"error", "CONFLICT"},
                                 {"message", "The request_id \"" + request_id +
                                                 "\" belongs to another call of this session."},
                                 {"details", "Nothing was done. Give each call its own, or leave it out."}},
            .status = 409};
}

json::object call_answer(const store::CallSummary& call) {
    json::object answer{{"ref_id", call.ref_id},
                        {"session_id", tools::shown_session(call.session_id)},
                        {"status", call.status == store::Status::Success ? "success" : "error"},
                        {"timestamp", store::to_text(call.timestamp)},
                        {"metadata", json::object{{"tool", call.tool_name},
                                                  {"has_snapshot", call.has_snapshot},
                                                  {"has_console_logs", call.console_count > 0},
                                                  {"console_error_count", call.console_error_count}}}};
    if (!call.status)
        answer["error"] = "The server ended before the call did. Look at the page before you repeat it.";
    else if (call.status == store::Status::Error)
        answer["error"] = call.error_message;
    return answer;
}

bool is_failure(const json::value& answer) {
    const json::value* failed = json::find_path(answer, {"result", "isError"});
    return failed && *failed == json::value(true);
}

std::string words_of(const json::value& answer) {
    std::string words;
    const json::value* content = json::find_path(answer, {"result", "content"});
    for (const json::value& each : content && content->is_array() ? content->get_array() : json::array{})
        if (const json::value* part = json::find(each, "text"); part && part->is_string())
            words += part->get_string();
    return words;
}

// The error in the answer of a session tool.
Error error_in(const json::object& answer) {
    const json::object none;
    const json::object* given = json::find_object(answer, "error");
    const json::object& error = given ? *given : none;
    std::string_view code = json::find_string(error, "code").value_or("");
    auto known = std::ranges::find(error_codes(), code, &ErrorCodeInfo::name);
    return {.code = known == error_codes().end() ? ErrorCode::InvalidArgument : known->code,
            .message = std::string(json::find_string(error, "message").value_or("")),
            .hint = std::string(json::find_string(error, "suggestion").value_or(""))};
}

}  // namespace

// A call that several requests may wait for.
struct Api::InFlight {
    std::string tool;
    json::object arguments;
    Running running;
    std::vector<Completion<Result<ApiAnswer>>> waiting;
};

Api::Api(ApiOptions options, record::CallRecorder& recorder)
    : options_(std::move(options)), recorder_(recorder) {
    if (!options_.sessions.sessions) return;
    for (tools::Tool& tool : tools::named_session_tools(options_.sessions))
        session_tools_.emplace(tool.name, std::move(tool));
}

Api::~Api() = default;

void Api::close() {
    closed_ = true;
    running_.clear();
    in_flight_.clear();
}

Task<ApiAnswer> Api::call(ApiRequest request) {
    ToolCall call{.caller = std::move(request.caller),
                  .tool = text(request.body, "tool"),
                  .request_id = text(request.body, "request_id")};
    call.caller.session_name = text(request.body, "session_id");
    if (const json::object* arguments = json::find_object(request.body, "params"))
        call.arguments = *arguments;
    if (const json::value* other = tools::find_session_argument(call.arguments);
        other && *other != json::value(call.caller.session_name)) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "\"session_id\" and the params name two sessions.",
                       .hint = "Name the session once."};
    }
    if (auto closed = closed_answer(call.caller)) co_return std::move(*closed);
    if (call.request_id.empty()) co_return co_await run_tool(std::move(call));
    co_return co_await call_once(std::move(call));
}

std::optional<ApiAnswer> Api::closed_answer(const tools::Caller& caller) const {
    auto wait = options_.closed_for ? options_.closed_for(caller) : std::chrono::seconds(0);
    if (wait.count() == 0) return std::nullopt;
    return ApiAnswer{
        .body =
            json::object{
                {"error", "DEGRADED"},
                {"message", "The MCP server of this session ends too often and is not started now."},
                {"details",
                 "Try again when Retry-After says, or DELETE the session and make it again to start over."}},
        .status = 503,
        .retry_after = wait};
}

json::value Api::recorded(const ToolCall& call) const {
    json::object arguments = call.arguments;
    for (std::string_view name : tools::kSessionArguments) arguments.erase(name);
    return tools::without_typed(call.tool, recorder_.recorded(call.tool, std::move(arguments)));
}

Task<ApiAnswer> Api::call_once(ToolCall call) {
    std::string session_id = identify(call.caller).session_id;
    std::string key = session_id + "\n" + call.request_id;
    Completion<Result<ApiAnswer>> mine(server_->loop());
    auto& place = in_flight_[key];
    if (place) {
        if (place->tool != call.tool || place->arguments != call.arguments)
            co_return of_another_call(call.request_id);
        place->waiting.push_back(mine);
        co_return co_await co_await mine;
    }
    auto flight = place = std::make_shared<InFlight>();
    flight->waiting.push_back(mine);
    flight->tool = call.tool;
    flight->arguments = call.arguments;
    flight->running = start(call_or_find(std::move(call), session_id), [this, key](Result<ApiAnswer> answer) {
        auto done = in_flight_.extract(key);
        if (done.empty()) return;
        for (auto& each : done.mapped()->waiting) each.set(answer);
        // Its Running is the one that ends right now.
        boost::asio::post(server_->loop(), [ended = std::move(done.mapped())] {});
    });
    co_return co_await co_await mine;
}

Task<ApiAnswer> Api::call_or_find(ToolCall call, std::string session_id) {
    auto known = co_await options_.history.store->find_request(session_id, call.request_id);
    if (!known) co_return co_await run_tool(std::move(call));
    store::Call before = co_await options_.history.store->call(*known);
    ToolCall then{.tool = before.summary.tool_name};
    if (auto params = json::parse(before.params); params && params->is_object())
        then.arguments = std::move(params->as_object());
    if (then.tool != call.tool || recorded(then) != recorded(call))
        co_return of_another_call(call.request_id);
    // A caller that may not call the tool must not see the recorded answer, either.
    auto tool = server_->registry().find_tool(call.tool);
    tools::StandsFor way(call.tool, tool ? tool->capability : "", tools::Effect::ReadsServer);
    ApiClient client(call.caller);
    auto work = [&] { return tools::find_call(options_.history, identify(call.caller), *known); };
    co_return ApiAnswer{.body = call_answer(co_await server_->calls().run_as<store::CallSummary>(
                            {std::move(way), call.caller.session_name}, {}, client, work))};
}

Task<ApiAnswer> Api::run_route(const ApiRoute& route, ApiRequest request) {
    if (!route.access.tool()) co_return co_await (this->*route.handler)(std::move(request));
    std::string session = text(request.body, "session_id");
    if (session.empty()) session = request.parameter("session_id");
    if (route.handler == &Api::create_session && session.empty())
        request.body["session_id"] = session = random_uuid();
    if (route.handler == &Api::close_session) {
        session = request.path_argument;
        tools::Caller named = request.caller;
        named.session_name = session;
        request.session_before = co_await options_.history.store->session(identify(named).session_id);
    }
    json::object arguments = request.body;
    arguments.erase("session_id");
    if (!request.query.empty()) arguments["query"] = request.query;
    // Rules about the session to read apply, as they do to history_list.
    if (std::string read = request.parameter("session"); !read.empty()) arguments["session"] = read;
    if (!request.path_argument.empty()) arguments["path"] = request.path_argument;
    ApiClient client(request.caller);
    auto work = [&] { return (this->*route.handler)(request); };
    co_return co_await server_->calls().run_as<ApiAnswer>({*route.access.tool(), std::move(session)},
                                                          std::move(arguments), client, work);
}

Task<ApiAnswer> Api::run_tool(ToolCall call) {
    auto client = std::make_shared<mcp::ClientState>();
    client->era = mcp::Era::Modern;
    client->version = mcp::kModernVersion;
    client->caller = call.caller;
    client->caller.client_name = "api";
    json::object params{{"name", call.tool}, {"arguments", std::move(call.arguments)}};
    if (!call.request_id.empty()) params["_meta"] = json::object{{mcp::kMetaRequest, call.request_id}};
    Completion<std::string> message(server_->loop());
    Running running = server_->serve(
        std::make_shared<mcp::RequestContext>(mcp::Request{std::int64_t{1}, "tools/call", std::move(params)},
                                              client, std::make_shared<Captured>(message), mcp::AskClient{}),
        {});
    json::value answer = co_await json::parse(co_await message);
    if (const json::value* error = json::find_path(answer, {"error", "message"});
        error && error->is_string()) {
        const json::value* code = json::find_path(answer, {"error", "code"});
        bool ours = code && *code == json::value(mcp::kInternalError);
        co_await Error{.code = ours ? ErrorCode::InternalError : ErrorCode::InvalidArgument,
                       .message = std::string(error->get_string())};
    }
    const json::value* ref = json::find_path(answer, {"result", "_meta", mcp::kMetaRef});
    auto tool = server_->registry().find_tool(call.tool);
    // A call that was refused before its session existed is not in the record.
    if (!ref && is_failure(answer) && !(tool && record::reads_record(*tool)))
        co_return ApiAnswer{.body = call_answer({.session_id = identify(call.caller).session_id,
                                                 .tool_name = call.tool,
                                                 .timestamp = std::chrono::floor<std::chrono::milliseconds>(
                                                     std::chrono::system_clock::now()),
                                                 .status = store::Status::Error,
                                                 .error_message = words_of(answer)})};
    if (!ref || !ref->is_string()) {
        co_await Error{
            .code = ErrorCode::InvalidArgument,
            .message = "\"" + call.tool + "\" cannot be called here.",
            .hint = "Calls that read the record are paths of their own: /api/content, /api/history."};
    }
    co_return ApiAnswer{.body = call_answer(co_await tools::find_call(options_.history, identify(call.caller),
                                                                      std::string(ref->get_string())))};
}

Task<json::object> Api::run_session_tool(tools::Caller caller, std::string name, json::object arguments) {
    auto tool = session_tools_.find(name);
    if (tool == session_tools_.end())
        co_await Error{.code = ErrorCode::NotFound,
                       .message = "This server's sessions cannot be managed here."};
    ApiClient client(std::move(caller));
    json::value given = std::move(arguments);
    tools::ToolResult result =
        co_await tool->second.run({given, client, Deadline::in(server_->options().call_timeout)});
    json::object answer = result.structured ? result.structured->as_object() : json::object{};
    if (result.is_error) co_await error_in(answer);
    const json::object* data = json::find_object(answer, "data");
    co_return data ? *data : std::move(answer);
}

Task<ApiAnswer> Api::create_session(ApiRequest request) {
    json::object arguments = std::move(request.body);
    std::string name = text(arguments, "session_id");
    arguments.erase("session_id");
    arguments["sessionId"] = name;
    json::object answer{{"session_id", name}, {"state", "active"}};
    if (options_.sessions.sessions) {
        json::object made = co_await run_session_tool(request.caller, "create_session", std::move(arguments));
        if (auto url = json::find_string(made, "url")) answer["url"] = *url;
    }
    tools::Caller caller = request.caller;
    caller.session_name = name;
    recorder_.session_began(identify(caller), caller);
    co_return ApiAnswer{.body = std::move(answer), .status = 201};
}

Task<ApiAnswer> Api::list_sessions(ApiRequest request) {
    tools::RecordIdentity reader = identify(request.caller);
    json::array sessions;
    // A caller without a token sees the session that the request names.
    tools::Caller asking = request.caller;
    asking.session_name = request.parameter("session_id");
    auto seen = options_.history.seen_sessions(asking);
    for (const store::SessionInfo& each : co_await options_.history.store->sessions()) {
        if (seen && std::ranges::find(*seen, each.session_id) == seen->end()) continue;
        auto metadata = json::parse(each.metadata);
        const json::value* kept = metadata ? json::find(*metadata, "owner") : nullptr;
        if (!kept || !kept->is_string() || !reader.may_read(kept->get_string())) continue;
        tools::Caller caller = request.caller;
        caller.session_name = tools::shown_session(each.session_id);
        bool closed = each.state != store::SessionState::Closed && closed_answer(caller);
        sessions.push_back(json::object{{"session_id", caller.session_name},
                                        {"state", closed ? "degraded" : store::to_string(each.state)},
                                        {"created_at", store::to_text(each.created_at)},
                                        {"last_activity", store::to_text(each.last_activity)}});
    }
    co_return ApiAnswer{.body = json::object{{"sessions", std::move(sessions)}}};
}

Task<ApiAnswer> Api::close_session(ApiRequest request) {
    const std::string& name = request.path_argument;
    tools::Caller caller = request.caller;
    caller.session_name = name;
    tools::RecordIdentity identity = identify(caller);
    bool live = options_.sessions.sessions &&
                co_await tools::close_session(options_.sessions, options_.sessions.named(caller, name));
    const auto& before = request.session_before;
    recorder_.session_began(identity, caller);
    recorder_.session_changed(identity, store::SessionState::Closed);
    if (!live && (!before || before->state == store::SessionState::Closed)) {
        co_await Error{.code = ErrorCode::SessionNotFound,
                       .message = "There is no session \"" + name + "\"."};
    }
    co_return ApiAnswer{.body = json::object{{"session_id", name}, {"state", "closed"}}};
}

Task<ApiAnswer> Api::health(ApiRequest) {
    json::object answer{{"status", "ok"}, {"version", options_.version}};
    // Other sessions still work, so this server keeps accepting requests.
    if (const tools::UpstreamSessions* upstream = options_.sessions.upstream) {
        std::size_t count = upstream->degraded_count();
        if (count > 0) answer["status"] = "degraded";
        answer["upstream"] =
            json::object{{"status", count > 0 ? "degraded" : "ok"}, {"degraded_sessions", count}};
    }
    const store::Store* store = options_.history.store;
    if (!store) {
        answer["store"] = json::object{{"status", "off"}};
        co_return ApiAnswer{.body = std::move(answer)};
    }
    store::Health health = store->health();
    bool degraded = health.state == store::Health::State::Degraded;
    answer["store"] = record::describe(health);
    if (degraded) answer["status"] = "degraded";
    co_return ApiAnswer{.body = std::move(answer), .status = degraded ? 503 : 200};
}

Task<ApiAnswer> Api::describe_api(ApiRequest) { co_return ApiAnswer{.body = openapi(options_.version)}; }

}  // namespace api
