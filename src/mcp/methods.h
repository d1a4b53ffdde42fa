// The methods that both eras share, and the two that only the stateless one has.
#pragma once

#include <string>

#include "mcp/server.h"

namespace mcp {

Answer refuse(int code, std::string message, std::optional<json::value> data = std::nullopt);

// One function per method. Borrowed exchanges live until the Task completes.
class Methods {
public:
    Methods(Loop& loop, tools::Registry& registry, Subscriptions& subscriptions,
            const RequestStateSealer& sealer, const ServerOptions& options, CallPipeline& calls);

    // Runs the request's method; an unknown one is -32601.
    Task<Answer> answer(RequestContext& context);
    // The deadline of the request's answer; a subscription has none.
    Deadline deadline_of(const Request& request) const;

    json::object capabilities() const;
    json::object server_info() const;
    // Called when the list of tools changed: the rendered lists are stale.
    void forget_rendered() { rendered_tools_ = {}; }

private:
    class ResultWriter;
    Task<Answer> dispatch(RequestContext& context);
    Answer discover(const RequestContext& context) const;
    Answer list_tools(const RequestContext& context);
    Answer list_prompts(const RequestContext& context) const;
    Answer list_resources(const RequestContext& context) const;
    Answer list_resource_templates(const RequestContext& context) const;
    // Ends a method that takes longer than the call timeout.
    Task<Answer> in_time(RequestContext& context, Task<Answer> method);
    Task<Answer> complete(RequestContext& context);
    Task<Answer> call_tool(RequestContext& context);
    // The tools that the caller is shown, its own behind the others.
    std::vector<std::shared_ptr<const tools::Tool>> offered_tools(const tools::Caller& caller) const;
    // Finds a tool of the session that the call's arguments name, or else of the caller's own.
    std::shared_ptr<const tools::Tool> find_own_tool(std::string_view name, const json::object& params,
                                                     tools::Caller caller) const;
    Task<Answer> get_prompt(RequestContext& context);
    Task<Answer> read_resource(RequestContext& context);
    Task<Answer> listen(RequestContext& context);

    // The answer to a call that needs its client to go on: input_required, or the missing capability.
    std::optional<Answer> unanswered(const RequestContext& context) const;
    // Whether unanswered() returns an answer. Valid as long as the exchange lives.
    std::function<bool()> waiting(const RequestContext& context) const {
        return [this, &context] { return unanswered(context).has_value(); };
    }
    // Renders a tool's result as JSON. Called on any thread. `meta` comes from meta_text.
    static std::string render_result(tools::ToolResult result, Era era, const std::string& meta);
    // Another server's result, with the members that this era adds to every one.
    static std::string pass_on(std::string result, Era era, const std::string& meta);
    // The _meta of a result: the server's name, and the ref under which the call is recorded.
    std::string meta_text(std::string_view ref) const;
    std::optional<RpcError> take_answers(RequestContext& context);
    // Returns true the first time for each state.
    bool claim_state(const std::string& state);
    template <class List>
    Answer list_page(const RequestContext& context, std::string_view key, const List& list,
                     std::string_view scope, std::chrono::milliseconds lifetime) const;

    Loop& loop_;
    tools::Registry& registry_;
    Subscriptions& subscriptions_;
    const RequestStateSealer& sealer_;
    const ServerOptions& options_;
    CallPipeline& calls_;
    std::array<std::string, 2> rendered_tools_;  // for callers with a connection, and without
    std::string server_info_text_;
    std::map<std::string, RequestStateSealer::Clock::time_point> claimed_states_;
};

}  // namespace mcp
