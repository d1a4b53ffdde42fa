// The methods that both eras share, and the two that only the stateless one has.
#pragma once

#include <string>

#include "mcp/server.h"

namespace mcp {

Answer refuse(int code, std::string message, std::optional<json::value> data = std::nullopt);

// One function a method. Borrowed exchanges live until the Task completes.
class Methods {
public:
    Methods(Loop& loop, tools::Registry& registry, Subscriptions& subscriptions,
            const RequestStateSealer& sealer, const ServerOptions& options, CallPipeline& calls);

    // Runs the request's method; an unknown one is -32601.
    Task<Answer> answer(Exchange& exchange);
    // By when it does; a subscription lasts for as long as its client wants.
    Deadline deadline_of(const Request& request) const;

    json::object capabilities() const;
    json::object server_info() const;
    // The list of tools changed: what was rendered before is stale.
    void forget_rendered() { rendered_tools_ = {}; }

private:
    class ResultWriter;
    Task<Answer> dispatch(Exchange& exchange);
    Answer discover(const Exchange& exchange) const;
    Answer list_tools(const Exchange& exchange);
    Answer list_prompts(const Exchange& exchange) const;
    Answer list_resources(const Exchange& exchange) const;
    Answer list_resource_templates(const Exchange& exchange) const;
    // Ends a method that takes longer than a call may.
    Task<Answer> in_time(Exchange& exchange, Task<Answer> method);
    Task<Answer> complete(Exchange& exchange);
    Task<Answer> call_tool(Exchange& exchange);
    // In the session that the call's arguments name, where they name one.
    std::shared_ptr<const tools::Tool> find_own_tool(std::string_view name, const json::object& params,
                                                     tools::Caller caller) const;
    Task<Answer> get_prompt(Exchange& exchange);
    Task<Answer> read_resource(Exchange& exchange);
    Task<Answer> listen(Exchange& exchange);

    // For a call that could not go on without its client: input_required, or the capability it lacks.
    std::optional<Answer> unanswered(const Exchange& exchange) const;
    // Whether unanswered() has something to say, for as long as the exchange lives.
    std::function<bool()> waiting(const Exchange& exchange) const {
        return [this, &exchange] { return unanswered(exchange).has_value(); };
    }
    // The JSON text of a tool's result.
    std::string render_result(tools::ToolResult result, const Exchange& exchange, std::string_view ref) const;
    // Another server's result, with what this era adds to every one.
    std::string pass_on(std::string result, const Exchange& exchange, std::string_view ref) const;
    // The _meta of a result: who answers, and under which ref the call is kept.
    std::string meta_text(std::string_view ref) const;
    std::optional<RpcError> take_answers(Exchange& exchange);
    // True once for each.
    bool claim_state(const std::string& state);
    template <class List>
    Answer list_page(const Exchange& exchange, std::string_view key, const List& list,
                     std::string_view scope) const;

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
