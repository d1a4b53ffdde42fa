// How a tool is called, its call kept, and its result written.
#include "mcp/client_text.h"
#include "mcp/methods.h"
#include "mcp/render.h"
#include "tools/error_answer.h"
#include "tools/session_param.h"

namespace mcp {
namespace {

// The caller's own name for a call.
std::string request_name(const json::object& params) {
    const json::object* meta = json::find_object(params, "_meta");
    return meta ? std::string(json::find_string(*meta, kMetaRequest).value_or("")) : "";
}

}  // namespace

Task<tools::ToolResult> Methods::run(const tools::Tool& tool, tools::Call call) {
    if (options_.gate) co_await options_.gate->admit(tool, call);
    co_return co_await tool.run(call);
}

std::shared_ptr<const tools::Tool> Methods::find_own_tool(std::string_view name, const json::object& params,
                                                          tools::Caller caller) const {
    if (const json::value* arguments = json::find(params, "arguments"))
        caller.session_name = tools::session_argument(*arguments);
    for (auto& tool : registry_.own_tools(caller)) {
        if (tool->name == name) return tool;
    }
    return nullptr;
}

Task<Answer> Methods::call_tool(Exchange& exchange) {
    const json::object& params = exchange.request().params;
    auto name = json::find_string(params, "name");
    if (!name) co_return refuse(kInvalidParams, "Invalid params: \"name\" must be a string.");
    auto tool = registry_.find_tool(*name);
    if (!tool) tool = find_own_tool(*name, params, exchange.caller());
    if (!tool) co_return refuse(kInvalidParams, "Tool \"" + std::string(*name) + "\" not found");
    static const json::value kNoArguments = json::object{};
    const json::value* arguments = json::find(params, "arguments");
    if (!arguments || arguments->is_null()) arguments = &kNoArguments;
    if (!arguments->is_object())
        co_return refuse(kInvalidParams, "Invalid params: \"arguments\" must be an object.");
    if (auto error = take_answers(exchange)) co_return Answer{.error = std::move(error)};

    exchange.enter({.what = "its tool"});
    auto started = std::chrono::steady_clock::now();
    Deadline deadline = Deadline::in(options_.call_timeout);
    std::unique_ptr<KeptCall> kept;
    if (options_.keeper) {
        kept = options_.keeper->begin({tool, *arguments, exchange.caller(), request_name(params)});
        arguments = &kept->arguments();
    }
    auto outcome = co_await as_result(with_deadline(loop_, run(*tool, {*arguments, exchange, deadline}),
                                                    deadline, "Tool \"" + tool->name + "\""));
    tools::ToolResult result;
    if (outcome) {
        result = std::move(*outcome);
    } else {
        if (auto answer = unanswered(exchange)) {
            if (kept) kept->give_up("The client was asked first; its next request runs the call again.");
            co_return std::move(*answer);
        }
        const Error& error = outcome.error();
        if (error.code == ErrorCode::InternalError)
            log_.error(
                "tool failed",
                {{"agent", exchange.caller().label()}, {"tool", tool->name}, {"details", error.details}});
        result = tool->output_schema.empty() ? tools::ToolResult::from(error) : tools::structured(error);
    }
    // Names that pages make up would be counted without end.
    ToolMetrics& counted = metrics_of(registry_.find_tool(tool->name) ? tool->name : tool->capability);
    (result.is_error ? counted.failed : counted.answered).add();
    auto took = std::chrono::steady_clock::now() - started;
    counted.seconds.observe(took);
    log_.debug("call", {{"agent", exchange.caller().label()},
                        {"tool", tool->name},
                        {"milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()},
                        {"failed", result.is_error}});

    exchange.enter({.what = "the record"});
    if (!kept) co_return Answer{.result = render_result(std::move(result), exchange, "")};
    auto render = [&](tools::ToolResult to_send) {
        return render_result(std::move(to_send), exchange, kept->ref_id());
    };
    co_return Answer{.result = co_await kept->finish(std::move(result), render)};
}

std::string Methods::render_result(tools::ToolResult result, const Exchange& exchange,
                                   std::string_view ref) const {
    if (!result.as_given.empty()) return pass_on(std::move(result.as_given), exchange, ref);
    ObjectWriter writer;
    if (exchange.era() == Era::Modern) writer.string("resultType", "complete").raw("_meta", meta_text(ref));
    writer.raw("content", render_list(result.content));
    if (result.structured) writer.raw("structuredContent", json::serialize(*result.structured));
    if (result.is_error) writer.boolean("isError", true);
    return writer.finish();
}

std::string Methods::meta_text(std::string_view ref) const {
    if (ref.empty()) return server_info_text_;
    std::string text = server_info_text_;
    text.back() = ',';
    json::append_string(text, kMetaRef);
    text += ':';
    json::append_string(text, ref);
    return text + '}';
}

std::string Methods::pass_on(std::string result, const Exchange& exchange, std::string_view ref) const {
    if (exchange.era() == Era::Legacy) return result;
    // The stateless era wants a type in every result, and to know who answers unless the result says more.
    ObjectWriter type;
    type.string("resultType", "complete");
    if (member_text(result, "_meta").empty()) type.raw("_meta", meta_text(ref));
    std::string head = type.finish();
    head.pop_back();
    bool empty = result.find_first_not_of(" \t\r\n", 1) == result.rfind('}');
    return head + (empty ? "" : ",") + result.substr(1);
}

Methods::ToolMetrics& Methods::metrics_of(const std::string& tool) {
    auto it = tool_metrics_.find(tool);
    if (it != tool_metrics_.end()) return it->second;
    auto calls = [&](std::string outcome) -> Counter& {
        return metrics_.counter("troupe_tool_calls_total", "Tool calls answered.",
                                {{"tool", tool}, {"outcome", std::move(outcome)}});
    };
    Histogram& seconds = metrics_.histogram("troupe_tool_call_seconds",
                                            "Time from a tool call to its answer.", {{"tool", tool}});
    return tool_metrics_.emplace(tool, ToolMetrics{calls("ok"), calls("error"), seconds}).first->second;
}

}  // namespace mcp
