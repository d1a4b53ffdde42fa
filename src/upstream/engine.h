// The engine that drives no browser itself: every session gets an MCP server of its own that does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/registry.h"
#include "tools/sessions.h"
#include "upstream/child.h"
#include "upstream/extras.h"

namespace upstream {

// Offers the server's tools as ours and hands their calls on to the session's server. Lives on the loop and
// outlives all calls; what it is given outlives it.
class Engine final : public tools::OtherSessions {
public:
    // The session that a caller means.
    using SessionOf = std::function<session::SessionKey(const tools::Caller& caller)>;

    Engine(Loop& loop, Options options, tools::Registry& registry, SessionOf session_of, Log& log);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() override;

    // Learns the server's tools and offers them, its prompts and resources too: from the last time, or from
    // one that runs for a moment. Once is enough.
    Task<> read_tools();

    // Whether calls in the session are ours to answer.
    bool owns(const session::SessionKey& key) const;
    // For how long the session's server will not be started again; zero when it may be.
    std::chrono::seconds closed_for(const session::SessionKey& key) const;
    std::size_t child_count() const;
    // Of servers that end too often.
    std::size_t degraded_count() const override;

    bool has(const session::SessionKey& key) const override { return sessions_.contains(key); }
    std::vector<Info> list(const std::string& owner) const override;
    Task<json::object> create(session::SessionKey key, session::SessionSetup setup, std::string url,
                              tools::Call call) override;
    // Its server ends in the background.
    bool close(const session::SessionKey& key) override;
    void close_owner(const std::string& owner);
    // Ends all servers.
    Task<> close();

private:
    struct Offered {
        std::string name;  // as the server calls it
        json::object description;
    };
    struct Entry {
        std::shared_ptr<Child> child = {};    // null while it has none
        bool chosen = false;                  // made to be ours: it stays when its server is unused
        std::vector<std::string> flags = {};  // of its server alone
        std::chrono::system_clock::time_point created = std::chrono::system_clock::now();
    };
    using Entries = std::map<session::SessionKey, Entry>;
    // Why the state of sessions that ended on their own is gone, for when they are named again.
    using Losses = std::map<session::SessionKey, std::string>;

    void offer(Offerings offerings);
    tools::Tool tool_for(const std::string& name, const std::string& shown, json::object description);
    // The name under which we offer the server's tool: its own, unless we have a tool of that name ourselves
    // that is not one of the other engine.
    std::string offered_name(const std::string& name) const;
    std::shared_ptr<const tools::Tool> native_tool(const std::string& name) const;
    bool offers(std::string_view server_tool) const;
    std::string last_call() const;

    Task<tools::ToolResult> run(std::string tool, std::string shown,
                                std::shared_ptr<const json::object> schema, tools::Call call);
    Task<tools::ToolResult> forward(std::string tool, tools::Call call);
    Task<mcp::RawResult> ask(std::string method, json::object params, tools::Client& client);
    Result<std::shared_ptr<Child>> ensure_child(const session::SessionKey& key);
    // What the flags of its server say for a session that was made with this.
    Result<std::vector<std::string>> flags_for(const session::SessionSetup& setup) const;
    Result<std::shared_ptr<Server>> start_server(const StartOptions& own);
    Task<std::shared_ptr<Server>> launch(StartOptions own, Server::Events events);
    void keep_spare();
    void end_child(const std::shared_ptr<Child>& child);
    Entries::iterator end(Entries::iterator session);
    void note_loss(const session::SessionKey& key, std::string reason);

    void check_tools(const std::shared_ptr<Server>& server);
    void read_tools_again(std::shared_ptr<Server> server);
    Task<> read_tools_from(std::shared_ptr<Server> server);
    void run_in_background(Task<> task);
    Task<> close_idle_children();

    Loop& loop_;
    Options options_;
    tools::Registry& registry_;
    SessionOf session_of_;
    Log& log_;
    Ports ports_;
    std::map<std::string, Offered> offered_;  // by the name we offer it under
    Extras extras_;
    json::object tools_of_;  // the name and version of the server that has them
    bool knows_tools_ = false;
    bool doubts_tools_ = false;  // they are from another run: the first server is asked again
    Entries sessions_;
    Losses losses_;
    std::shared_ptr<Server> spare_;
    std::weak_ptr<Process> shared_;  // where all servers are one process
    bool closed_ = false;
    std::map<std::uint64_t, Running> background_;
    std::uint64_t last_background_ = 0;
    std::map<std::uint64_t, Completion<bool>> waiting_for_background_;
    Running sweeping_;
};

}  // namespace upstream
