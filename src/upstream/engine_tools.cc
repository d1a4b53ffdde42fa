// What tools the engine offers: the server's, and how they stand to ours.
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

// What callers write for sessionId; "tab" or "target" would be the server's own business.
bool looks_like_session(std::string_view argument) {
    std::string letters;
    for (char c : argument) {
        if (c != '_' && c != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return letters == "sessionid" || letters == "session" || letters == "sessionname";
}

// An argument that names a session in a way that neither we nor the server take. The server would ignore it
// and the call run in another session than its caller means.
Result<void> refuse_misnamed_session(const json::value& arguments, const json::object& schema,
                                     const tools::SessionParamOptions& sessions) {
    const json::object* given = arguments.if_object();
    const json::object* known = json::find_object(schema, "properties");
    if (!given) return ok();
    for (const auto& [name, value] : *given) {
        if (!looks_like_session(name) || (known && known->contains(name))) continue;
        bool named = sessions.when != tools::SessionParam::Off;
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "Unknown argument \"" + std::string(name) + "\": the call was not made.",
                     .hint = named ? "The session is named by \"sessionId\"."
                                   : "This server has one session for each connection; start it with "
                                     "--session-param to name sessions by \"sessionId\"."};
    }
    return ok();
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
        co_await Server::greet(server, {});
        auto read = co_await as_result(read_tools_from(server));
        run_in_background(Server::stop(server, ""));
        co_await std::move(read);
    }
    keep_spare();
}

Task<> Engine::read_tools_from(std::shared_ptr<Server> server) {
    mcp::ClientConnection& connection = server->connection();
    const mcp::ServerDescription& described = server->description();
    Deadline deadline = Deadline::in(options_.timing.handshake);
    Offerings offerings{.server = described.server_info,
                        .tools = co_await connection.list("tools/list", "tools", deadline)};
    if (described.capabilities.contains("prompts"))
        offerings.prompts = co_await connection.list("prompts/list", "prompts", deadline);
    if (described.capabilities.contains("resources")) {
        offerings.resources = co_await connection.list("resources/list", "resources", deadline);
        // Not every server that has resources knows the other list.
        auto templates =
            co_await as_result(connection.list("resources/templates/list", "resourceTemplates", deadline));
        if (templates) offerings.templates = std::move(*templates);
    }
    if (!options_.tool_cache.empty()) write_offerings(options_.tool_cache, offerings);
    offer(std::move(offerings));
}

void Engine::read_tools_again(std::shared_ptr<Server> server) {
    run_in_background(read_tools_from(std::move(server)));
}

// Whatever starts a server may have got a new version of it meanwhile.
void Engine::check_tools(const std::shared_ptr<Server>& server) {
    bool doubted = std::exchange(doubts_tools_, false);
    if (doubted || server->description().server_info != tools_of_) read_tools_again(server);
}

std::shared_ptr<const tools::Tool> Engine::native_tool(const std::string& name) const {
    auto tool = options_.native.tools ? options_.native.tools->find_tool(name) : nullptr;
    // The others act on the record, or on sessions as such, whichever engine's these are.
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
    tool.run = [this, name, shown, schema = std::make_shared<const json::object>(tool.input_schema)](
                   tools::Call call) { return run(name, shown, schema, call); };
    tool.as_given = std::move(description);
    tool.acts_in_session = true;
    tool = tools::with_session_argument(std::move(tool), options_.session_param);
    auto native = native_tool(shown);
    if (!native || !options_.native.is_default) return tool;
    // Described as the engine has it that most sessions have.
    tools::Tool both = *native;
    both.run = std::move(tool.run);
    return both;
}

void Engine::offer(Offerings offerings) {
    knows_tools_ = true;
    extras_.offer(offerings);
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

// In a session of either engine, a name that both have means the tool of that session's engine.
Task<tools::ToolResult> Engine::run(std::string tool, std::string shown,
                                    std::shared_ptr<const json::object> schema, tools::Call call) {
    if (auto known = refuse_misnamed_session(call.arguments, *schema, options_.session_param); !known)
        co_return tools::ToolResult::from(known.error());
    if (owns(session_of_(call.client.caller()))) co_return co_await forward(std::move(tool), call);
    auto native = native_tool(shown);
    if (!native) co_return tools::ToolResult::from(of_the_other_engine(shown));
    co_return co_await native->run(call);
}

}  // namespace upstream
