// The JSON API at /api: calls, sessions and the record, for programs that do not speak MCP.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "mcp/server.h"
#include "record/recorder.h"
#include "tools/history.h"
#include "tools/sessions.h"
#include "transport/http.h"

namespace record {

struct ApiOptions {
    std::string version = "0";
    tools::HistoryCatalog history;
    tools::SessionCatalog sessions = {};  // without sessions: none can be made or closed here
    // For how long the caller's session takes no calls; zero when it does.
    std::function<std::chrono::seconds(const tools::Caller&)> closed_for = {};
};

// One request, as its route's handler sees it.
struct ApiRequest {
    tools::Caller caller;
    std::string path_argument = {};  // what stands for {…} in the route's path
    std::string query = {};
    json::object body = {};
    // What the record had of the session in the path before this request was added to it.
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
    Api(ApiOptions options, Recorder& recorder);
    ~Api();

    void handle(mcp::Server& server, const std::shared_ptr<transport::HttpExchange>& exchange,
                tools::Caller caller);
    // What is under way ends, and nothing new begins.
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
    // Through the pipeline of all calls, as the tool that the route stands for.
    Task<ApiAnswer> run_route(const ApiRoute& route, ApiRequest request);
    // For a session that takes no calls now; nothing when it does.
    std::optional<ApiAnswer> closed_answer(const tools::Caller& caller) const;
    Task<ApiAnswer> call_once(ToolCall call);
    Task<ApiAnswer> call_or_find(ToolCall call, std::string session_id);
    Task<ApiAnswer> run_tool(ToolCall call);
    Task<json::object> run_session_tool(tools::Caller caller, std::string name, json::object arguments);
    tools::RecordIdentity identify(const tools::Caller& caller) const {
        return options_.history.identify(caller);
    }

    ApiOptions options_;
    Recorder& recorder_;
    mcp::Server* server_ = nullptr;
    std::map<std::string, tools::Tool> session_tools_;
    // Calls that have a name of their caller's own: they go on when the client goes away.
    std::map<std::string, std::shared_ptr<InFlight>> in_flight_;
    std::map<std::uint64_t, Running> running_;
    std::uint64_t next_running_ = 0;
    bool closed_ = false;
};

}  // namespace record
