// Offers the server's tools and combines them with ours.
#include <algorithm>

#include "upstream/engine.h"

namespace upstream {
namespace {

bool only_reads(const json::object& description) {
    const json::object* annotations = json::find_object(description, "annotations");
    return annotations && json::find_bool(*annotations, "readOnlyHint").value_or(false);
}

Error of_the_other_engine(const std::string& tool) {
    return {.code = ErrorCode::InvalidArgument,
            .message = "This session's engine is native, which has no tool " + tool + ".",
            .hint = "Call it in a session made by create_session with engine upstream."};
}

Error has_no_tab_ids() {
    return {.code = ErrorCode::InvalidArgument,
            .message = "This session's engine is upstream, which has no tab ids: the call was not made.",
            .hint = "Leave out targetId, and select the tab by its index with browser_tabs."};
}

}  // namespace

Task<> Engine::read_tools() {
    if (knows_tools_) co_return;
    std::optional<Offerings> kept;
    if (!options_.tool_cache.empty()) kept = read_offerings(options_.tool_cache);
    if (kept) {
        doubts_tools_ = true;
        offer(std::move(*kept));
    } else {
        auto server = co_await start_server({.session = "tools"});
        co_await ServerConnection::greet(server, {});
        auto read = co_await as_result(read_tools_from(server));
        run_in_background(ServerConnection::stop(server, ""));
        co_await std::move(read);
    }
    keep_spare();
}

Task<> Engine::read_tools_from(std::shared_ptr<ServerConnection> server) {
    mcp::ClientConnection& connection = server->connection();
    const mcp::ServerDescription& described = server->description();
    Deadline deadline = Deadline::in(options_.timing.handshake);
    Offerings offerings{.server = described.server_info,
                        .tools = co_await connection.list("tools/list", "tools", deadline)};
    if (described.capabilities.contains("prompts"))
        offerings.prompts = co_await connection.list("prompts/list", "prompts", deadline);
    if (described.capabilities.contains("resources")) {
        offerings.resources = co_await connection.list("resources/list", "resources", deadline);
        // Some servers with resources do not support the list of templates.
        auto templates =
            co_await as_result(connection.list("resources/templates/list", "resourceTemplates", deadline));
        if (templates) offerings.templates = std::move(*templates);
    }
    if (!options_.tool_cache.empty()) write_offerings(options_.tool_cache, offerings);
    offer(std::move(offerings));
}

void Engine::read_tools_again(std::shared_ptr<ServerConnection> server) {
    run_in_background(read_tools_from(std::move(server)));
}

// The program that starts the server may have installed a new version meanwhile.
void Engine::check_tools(const std::shared_ptr<ServerConnection>& server) {
    bool doubted = std::exchange(doubts_tools_, false);
    if (doubted || server->description().server_info != tools_of_) read_tools_again(server);
}

std::shared_ptr<const tools::Tool> Engine::native_tool(const std::string& name) const {
    auto tool = options_.native.tools ? options_.native.tools->find_tool(name) : nullptr;
    // The other tools act on the record, or on sessions as such, in either engine.
    return tool && tool->acts_in_session && tool->capability != "history" ? tool : nullptr;
}

std::string Engine::offered_name(const std::string& name) const {
    bool listed =
        std::ranges::any_of(registry_.tools(), [&](const auto& tool) { return tool->name == name; });
    return listed && !offered_.contains(name) && !native_tool(name) ? "upstream_" + name : name;
}

bool Engine::offers(std::string_view server_tool) const {
    return std::ranges::any_of(offered_, [&](const auto& each) { return each.second.name == server_tool; });
}

tools::Tool Engine::tool_for(const std::string& name, const std::string& shown, json::object description) {
    tools::Tool tool;
    tool.name = shown;
    tool.description = json::find_string(description, "description").value_or("");
    tool.effect = only_reads(description) ? tools::Effect::ReadsPage : tools::Effect::ChangesPage;
    if (const json::object* schema = json::find_object(description, "inputSchema"))
        tool.input_schema = *schema;
    tool.run = [this, name, shown](tools::Call call) { return run(name, shown, call); };
    tool.raw_json = std::move(description);
    tool.acts_in_session = true;
    // Calls may use our other names for the server's tool, such as browser_cookies.
    auto ours = options_.native.tools ? options_.native.tools->find_tool(shown) : nullptr;
    if (ours && ours->name == shown) tool.aliases = ours->aliases;
    auto native = native_tool(shown);
    bool is_described_by_native = native && options_.native.is_default;
    tools::SessionParamOptions param = options_.session_param;
    if (is_described_by_native) param.tab_ids = options_.native.tab_ids;
    tool = tools::with_session_argument(std::move(tool), param);
    if (!is_described_by_native) return tool;
    // Uses the description of the default engine's tool.
    tools::Tool both = *native;
    both.run = std::move(tool.run);
    return both;
}

void Engine::offer(Offerings offerings) {
    knows_tools_ = true;
    prompts_and_resources_.offer(offerings);
    tools_of_ = std::move(offerings.server);
    std::map<std::string, Offered> now;
    for (json::object& description : offerings.tools) {
        std::string name(json::find_string(description, "name").value_or(""));
        if (name.empty()) continue;
        std::string shown = offered_name(name);
        description["name"] = shown;
        auto known = offered_.find(shown);
        bool same = known != offered_.end() && known->second.description == description;
        now.insert_or_assign(shown, Offered{name, description});
        if (same) continue;
        registry_.add(tool_for(name, shown, std::move(description)));
    }
    for (const auto& [shown, each] : offered_) {
        if (now.contains(shown)) continue;
        auto native = native_tool(shown);
        if (native && options_.native.is_default)
            registry_.add(*native);
        else
            registry_.remove_tool(shown);
    }
    offered_ = std::move(now);
}

// A name that both engines have means the tool of the session's engine.
Task<tools::ToolResult> Engine::run(std::string tool, std::string shown, tools::Call call) {
    if (owns(session_of_(call.client.caller()))) {
        if (!call.client.caller().tab_id.empty()) co_return tools::ToolResult::from(has_no_tab_ids());
        co_return co_await forward(std::move(tool), call);
    }
    auto native = native_tool(shown);
    if (!native) co_return tools::ToolResult::from(of_the_other_engine(shown));
    co_return co_await native->run(call);
}

}  // namespace upstream
