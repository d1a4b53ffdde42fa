#include "upstream/engine.h"

#include <algorithm>

namespace upstream {
namespace {

using namespace std::chrono_literals;

// Closes the browser, in the servers that have it.
constexpr std::string_view kLastCall = "browser_close";
constexpr milliseconds kLongestSweep = 30s;

bool only_reads(const json::object& description) {
    const json::object* annotations = json::find_object(description, "annotations");
    return annotations && json::find_bool(*annotations, "readOnlyHint").value_or(false);
}

void report(tools::Client& client, const json::object& params) {
    const json::value* progress = json::find(params, "progress");
    const json::value* total = json::find(params, "total");
    auto number = [](const json::value* value) -> std::optional<double> {
        if (!value || !value->is_number()) return std::nullopt;
        return value->to_number<double>();
    };
    client.report_progress(number(progress).value_or(0), number(total),
                           json::find_string(params, "message").value_or(""));
}

tools::ToolResult result_of(const mcp::RawResult& answer) {
    const json::object* members = answer.value.if_object();
    if (!members) return tools::ToolResult::error("The MCP server's result is not an object.");
    tools::ToolResult result;
    result.is_error = json::find_bool(*members, "isError").value_or(false);
    result.as_given = answer.text();
    return result;
}

}  // namespace

Engine::Engine(Loop& loop, Options options, tools::Registry& registry, SessionOf session_of, Log& log)
    : loop_(loop),
      options_(std::move(options)),
      registry_(registry),
      session_of_(std::move(session_of)),
      log_(log) {
    if (options_.timing.idle > 0ms) sweeping_ = ::start(close_idle_children());
}

Engine::~Engine() = default;

Task<> Engine::read_tools() {
    auto server = co_await Server::launch(loop_, options_, "tools", ports_, {}, log_);
    auto tools = co_await as_result(server->connection().list_tools(Deadline::in(options_.timing.handshake)));
    run_in_background(Server::stop(server, ""));
    offer(co_await std::move(tools));
}

Task<> Engine::read_tools_from(std::shared_ptr<Server> server) {
    offer(co_await server->connection().list_tools(Deadline::in(options_.timing.handshake)));
}

void Engine::read_tools_again(std::shared_ptr<Server> server) {
    run_in_background(read_tools_from(std::move(server)));
}

std::string Engine::offered_name(const std::string& name) const {
    bool ours = registry_.find_tool(name) && !offered_.contains(name);
    return ours ? "upstream_" + name : name;
}

void Engine::offer(std::vector<json::object> descriptions) {
    std::map<std::string, Offered> now;
    for (json::object& description : descriptions) {
        std::string name(json::find_string(description, "name").value_or(""));
        if (name.empty()) continue;
        std::string shown = offered_name(name);
        description["name"] = shown;
        now.insert_or_assign(shown, Offered{name, description});
        if (auto known = offered_.find(shown);
            known != offered_.end() && known->second.description == description)
            continue;
        tools::Tool tool;
        tool.name = shown;
        tool.description = json::find_string(description, "description").value_or("");
        tool.effect = only_reads(description) ? tools::Effect::ReadsPage : tools::Effect::ChangesPage;
        if (const json::object* schema = json::find_object(description, "inputSchema"))
            tool.input_schema = *schema;
        tool.run = [this, name](tools::Call call) { return forward(name, call); };
        tool.as_given = std::move(description);
        tool.acts_in_session = true;
        registry_.add(tools::with_session_argument(std::move(tool), options_.session_param));
    }
    for (const auto& [shown, each] : offered_)
        if (!now.contains(shown)) registry_.remove_tool(shown);
    offered_ = std::move(now);
}

std::string Engine::last_call() const {
    bool has_it =
        std::ranges::any_of(offered_, [](const auto& each) { return each.second.name == kLastCall; });
    return has_it ? std::string(kLastCall) : "";
}

Task<tools::ToolResult> Engine::forward(std::string tool, tools::Call call) {
    mcp::CallOptions options{
        .deadline = call.deadline,
        .on_progress = [client = &call.client](const json::object& params) { report(*client, params); }};
    auto child = ensure_child(session_of_(call));
    auto answer = co_await as_result(
        Child::call(std::move(child), std::move(tool), call.arguments.as_object(), std::move(options)));
    if (answer) co_return result_of(*answer);
    // What the server refuses is its own word to the caller, not a failure of ours.
    if (mcp::rpc_error_of(answer.error())) co_return tools::ToolResult::error(answer.error().message);
    co_return tools::ToolResult::from(answer.error());
}

std::shared_ptr<Child> Engine::ensure_child(const std::string& session) {
    std::shared_ptr<Child>& child = children_[session];
    if (!child)
        child = std::make_shared<Child>(
            loop_, options_, session, ports_,
            [this](const std::shared_ptr<Server>& server) { read_tools_again(server); }, log_);
    return child;
}

void Engine::end_session(const std::string& session) {
    auto ended = children_.extract(session);
    if (!ended.empty()) run_in_background(Child::close(std::move(ended.mapped()), last_call()));
}

void Engine::end_sessions(const std::string& prefix) {
    std::vector<std::string> ended;
    for (const auto& [session, child] : children_)
        if (session.starts_with(prefix)) ended.push_back(session);
    for (const std::string& session : ended) end_session(session);
}

void Engine::run_in_background(Task<> task) {
    std::uint64_t number = ++last_background_;
    Running running = ::start(std::move(task), [this, number](Result<void> outcome) {
        if (!outcome) log_.debug("Work for an MCP server failed.", {{"reason", outcome.error().message}});
        background_.erase(number);
        if (auto waiting = waiting_for_background_.extract(number); !waiting.empty())
            waiting.mapped().set(true);
    });
    if (!running.done()) background_.emplace(number, std::move(running));
}

Task<> Engine::close() {
    sweeping_.cancel();
    while (!children_.empty()) end_session(std::string(children_.begin()->first));
    while (!background_.empty()) {
        std::uint64_t number = background_.begin()->first;
        Completion<bool> over(loop_);
        waiting_for_background_.insert_or_assign(number, over);
        co_await over;
    }
}

Task<> Engine::close_idle_children() {
    milliseconds pause = std::min(std::max(options_.timing.idle / 4, 1ms), kLongestSweep);
    for (;;) {
        co_await sleep_for(loop_, pause);
        auto limit = Child::Clock::now() - options_.timing.idle;
        std::vector<std::string> idle;
        for (const auto& [session, child] : children_)
            if (child->is_idle_since(limit)) idle.push_back(session);
        for (const std::string& session : idle) {
            log_.debug("An unused MCP server is closed.", {{"session", session}});
            end_session(session);
        }
    }
}

}  // namespace upstream
