// The engine that drives no browser itself: every session gets an MCP server of its own that does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/registry.h"
#include "upstream/child.h"

namespace upstream {

// Offers the server's tools as ours and hands their calls on to the session's server. Lives on the loop and
// outlives all calls; what it is given outlives it.
class Engine {
public:
    // The session that a call belongs to.
    using SessionOf = std::function<std::string(const tools::Call&)>;

    Engine(Loop& loop, Options options, tools::Registry& registry, SessionOf session_of, Log& log);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine();

    // Runs a server for a moment to learn its tools, and offers them.
    Task<> read_tools();

    // The session is over: its server ends in the background.
    void end_session(const std::string& session);
    // All whose names begin so.
    void end_sessions(const std::string& prefix);
    // Ends all servers.
    Task<> close();

    std::size_t child_count() const { return children_.size(); }

private:
    struct Offered {
        std::string name;  // as the server calls it
        json::object description;
    };

    void offer(std::vector<json::object> descriptions);
    // The name under which we offer the server's tool: its own, unless we have a tool of that name ourselves.
    std::string offered_name(const std::string& name) const;
    std::string last_call() const;
    Task<tools::ToolResult> forward(std::string tool, tools::Call call);
    std::shared_ptr<Child> ensure_child(const std::string& session);
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
    std::map<std::string, std::shared_ptr<Child>> children_;
    std::map<std::uint64_t, Running> background_;
    std::uint64_t last_background_ = 0;
    std::map<std::uint64_t, Completion<bool>> waiting_for_background_;
    Running sweeping_;
};

}  // namespace upstream
