// The engine that drives no browser itself: every session gets its own MCP server that drives one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/registry.h"
#include "tools/sessions.h"
#include "upstream/prompts_and_resources.h"
#include "upstream/resource_watches.h"
#include "upstream/session_server.h"
#include "util/task_set.h"

namespace upstream {

// Offers the server's tools as ours and forwards their calls to the session's server. Lives on the loop and
// outlives all calls; its constructor arguments outlive it.
class Engine final : public tools::UpstreamSessions {
public:
    // Returns the session that a caller means.
    using SessionOf = std::function<session::SessionKey(const tools::Caller& caller)>;

    Engine(Loop& loop, Options options, tools::Registry& registry, SessionOf session_of, Log& log);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() override;

    // Reads and offers the server's tools, prompts and resources: from the cache of an earlier run, or from a
    // server started for the purpose. Call it once.
    Task<> read_tools();

    // Whether this engine handles calls in the session.
    bool owns(const session::SessionKey& key) const;
    // The time until the session's server may be started again; zero when it may be now.
    std::chrono::seconds closed_for(const session::SessionKey& key) const;
    std::size_t child_count() const;
    // Number of servers that exit too often.
    std::size_t degraded_count() const override;

    bool has(const session::SessionKey& key) const override { return sessions_.contains(key); }
    std::vector<Info> list(const std::string& owner) const override;
    Task<json::object> create(session::SessionKey key, session::SessionSetup setup, std::string url,
                              tools::Call call) override;
    // The session's server ends in the background.
    bool close(const session::SessionKey& key) override;
    void close_owner(const std::string& owner);
    // Ends all servers.
    Task<> close();

private:
    struct Offered {
        std::string name;  // the server's own name for it
        json::object description;
    };
    struct Entry {
        std::shared_ptr<SessionServer> session_server = {};  // null while the session has no server
        bool chosen = false;                  // made for this engine: it stays when its server is idle
        std::vector<std::string> flags = {};  // extra flags of its server
        std::chrono::system_clock::time_point created = std::chrono::system_clock::now();
    };
    using Entries = std::map<session::SessionKey, Entry>;
    // Maps sessions that ended on their own to the reason, to report when they are named again.
    using Losses = std::map<session::SessionKey, std::string>;

    void offer(Offerings offerings);
    tools::Tool tool_for(const std::string& name, const std::string& shown, json::object description);
    // The name under which we offer the server's tool: its own, unless we have a tool of that name ourselves
    // that is not one of the other engine.
    std::string offered_name(const std::string& name) const;
    std::shared_ptr<const tools::Tool> native_tool(const std::string& name) const;
    bool offers(std::string_view server_tool) const;
    std::string last_call() const;

    Task<tools::ToolResult> run(std::string tool, std::string shown, tools::Call call);
    Task<tools::ToolResult> forward(std::string tool, tools::Call call);
    Task<mcp::RawResult> ask(std::string method, json::object params, tools::Client& client);
    Result<std::shared_ptr<SessionServer>> ensure_session_server(const session::SessionKey& key,
                                                                 const tools::Caller& caller);
    // The server flags that implement the settings of a session.
    Result<std::vector<std::string>> flags_for(const session::SessionSetup& setup) const;
    Result<std::shared_ptr<ServerConnection>> start_server(const StartOptions& own);
    Task<std::shared_ptr<ServerConnection>> launch(StartOptions own, ServerConnection::Events events);
    // Launches the session's server, and subscribes to what the session watches.
    Task<std::shared_ptr<ServerConnection>> launch_for(session::SessionKey key, StartOptions own,
                                                       ServerConnection::Events events);
    void request_watch(const session::SessionKey& key, const std::string& method, const std::string& uri);
    void keep_spare();
    void end_session_server(const std::shared_ptr<SessionServer>& session_server);
    Entries::iterator end(Entries::iterator session);
    void note_loss(const session::SessionKey& key, std::string reason);

    void check_tools(const std::shared_ptr<ServerConnection>& server);
    void read_tools_again(std::shared_ptr<ServerConnection> server);
    Task<> read_tools_from(std::shared_ptr<ServerConnection> server);
    void run_in_background(Task<> task);
    Task<> close_idle_children();

    Loop& loop_;
    Options options_;
    tools::Registry& registry_;
    SessionOf session_of_;
    Log& log_;
    Ports ports_;
    std::map<std::string, Offered> offered_;  // by the name we offer it under
    std::shared_ptr<ResourceWatches> watches_;
    PromptsAndResources prompts_and_resources_;
    json::object tools_of_;  // the name and version of the server that offers them
    bool knows_tools_ = false;
    bool doubts_tools_ = false;  // they come from another run: ask the first server again
    Entries sessions_;
    Losses losses_;
    std::shared_ptr<ServerConnection> spare_;
    std::filesystem::path spare_output_;   // where it writes its files
    std::weak_ptr<ServerProcess> shared_;  // the process of all servers, if shared
    bool closed_ = false;
    TaskSet background_;
    Running sweeping_;
};

}  // namespace upstream
