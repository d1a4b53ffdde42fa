// The JSON API at /api: calls, sessions and the record, for programs that do not speak MCP.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "mcp/server.h"
#include "record/call_recorder.h"
#include "tools/history.h"
#include "tools/sessions.h"
#include "transport/http.h"
#include "util/task_set.h"

namespace api {

struct ApiOptions {
    std::string version = "0";
    tools::HistoryCatalog history;
    tools::SessionCatalog sessions = {};  // without sessions: none can be created or closed here
    // The time for which the caller's session refuses calls; zero when it accepts them.
    std::function<std::chrono::seconds(const tools::Caller&)> closed_for = {};
};

// One request, as its route's handler sees it.
struct ApiRequest {
    tools::Caller caller;
    std::string path_argument = {};  // the part of the path that matches {…} in the route
    std::string query = {};
    std::map<std::string, std::string> parameters = {};  // query parameters
    json::object body = {};
    // The session of the path as recorded before this request; nothing when it was not recorded.
    std::optional<store::SessionInfo> session_before = {};

    std::string parameter(std::string_view name) const;
};

struct ApiAnswer {
    json::value body;
    int status = 200;
    std::chrono::seconds retry_after{5};  // with status 503
};

struct ApiRoute;

// Answers requests at /api and below. Lives on the main loop, longer than the listener.
class Api {
public:
    Api(ApiOptions options, record::CallRecorder& recorder);
    ~Api();

    void handle(mcp::Server& server, const std::shared_ptr<transport::HttpExchange>& exchange,
                tools::Caller caller);
    // Ends requests in progress and refuses new ones.
    void close();

    // The handlers of api_routes.cc.
    Task<ApiAnswer> call(ApiRequest request);
    Task<ApiAnswer> create_session(ApiRequest request);
    Task<ApiAnswer> list_sessions(ApiRequest request);
    Task<ApiAnswer> close_session(ApiRequest request);
    Task<ApiAnswer> content(ApiRequest request);
    Task<ApiAnswer> console(ApiRequest request);
    Task<ApiAnswer> history(ApiRequest request);
    Task<ApiAnswer> health(ApiRequest request);
    Task<ApiAnswer> describe_api(ApiRequest request);

private:
    struct InFlight;
    struct ToolCall {
        tools::Caller caller;
        std::string tool;
        json::object arguments;
        std::string request_id;
    };

    Task<> answer(std::shared_ptr<transport::HttpExchange> exchange, std::string path, tools::Caller caller,
                  Task<ApiAnswer> task);
    // Runs the request through the call pipeline, as the tool that the route stands for.
    Task<ApiAnswer> run_route(const ApiRoute& route, ApiRequest request);
    // The error for a session that refuses calls at the moment; nothing when it accepts them.
    std::optional<ApiAnswer> closed_answer(const tools::Caller& caller) const;
    Task<ApiAnswer> call_once(ToolCall call);
    // The call as recorded: tells it apart from another call with the same request id.
    json::value recorded(const ToolCall& call) const;
    Task<ApiAnswer> call_or_find(ToolCall call, std::string session_id);
    Task<ApiAnswer> run_tool(ToolCall call);
    Task<json::object> run_session_tool(tools::Caller caller, std::string name, json::object arguments);
    tools::RecordIdentity identify(const tools::Caller& caller) const {
        return options_.history.identify(caller);
    }

    ApiOptions options_;
    record::CallRecorder& recorder_;
    mcp::Server* server_ = nullptr;
    std::map<std::string, tools::Tool> session_tools_;
    // Calls with a request id of their caller: they continue when the client disconnects.
    std::map<std::string, std::shared_ptr<InFlight>> in_flight_;
    TaskSet running_;
    bool closed_ = false;
};

}  // namespace api
