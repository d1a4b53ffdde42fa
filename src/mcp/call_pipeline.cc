#include "mcp/call_pipeline.h"

#include "mcp/render.h"
#include "mcp/server.h"
#include "tools/error_answer.h"
#include "tools/result_limit.h"

namespace mcp {
namespace {

std::string plain_text(tools::ToolResult result) {
    ObjectWriter writer;
    writer.raw("content", render_list(result.content));
    if (result.is_error) writer.boolean("isError", true);
    return writer.finish();
}

}  // namespace

Task<tools::ToolResult> CallPipeline::admit_and_run(const tools::Tool& tool, tools::Call call,
                                                    RecordedCall* recorded) {
    if (recorded) co_await recorded->check();
    if (options_.gate) co_await options_.gate->admit(tool, call);
    if (recorded) recorded->start(true);
    co_return co_await tool.run(call);
}

Task<CallOutcome> CallPipeline::run(CallToRun call) {
    auto started = std::chrono::steady_clock::now();
    const tools::Tool& tool = *call.tool;
    Deadline deadline = Deadline::in(options_.call_timeout);
    CallOutcome outcome;
    const json::value* arguments = &call.arguments;
    if (call.recorded && options_.middleware) {
        outcome.recorded =
            options_.middleware->begin({call.tool, call.arguments, call.client.caller(), call.request_id});
        arguments = &outcome.recorded->arguments();
    }
    auto result = co_await as_result(
        with_deadline(loop_, admit_and_run(tool, {*arguments, call.client, deadline}, outcome.recorded.get()),
                      deadline, "Tool \"" + tool.name + "\""));
    if (!result && outcome.recorded) outcome.recorded->start(false);
    if (result) {
        outcome.result = std::move(*result);
    } else if (call.is_waiting && call.is_waiting()) {
        outcome.is_waiting = true;
        outcome.error = result.error();
        if (outcome.recorded)
            outcome.recorded->give_up("The client was asked first; its next request runs the call again.");
        co_return outcome;
    } else {
        outcome.error = result.error();
        if (outcome.error->code == ErrorCode::InternalError)
            log_.error("tool failed", {{"agent", call.client.caller().label()},
                                       {"tool", tool.name},
                                       {"details", outcome.error->details}});
        outcome.result = tool.output_schema.empty() ? tools::ToolResult::from(*outcome.error)
                                                    : tools::structured(*outcome.error);
    }
    if (options_.max_result_bytes > 0) tools::keep_within(options_.max_result_bytes, outcome.result);
    count(call, outcome.result, started);
    co_return outcome;
}

void CallPipeline::count(const CallToRun& call, const tools::ToolResult& result,
                         std::chrono::steady_clock::time_point started) {
    ToolMetrics& counted = metrics_of(call.counted_as.empty() ? call.tool->name : call.counted_as);
    (result.is_error ? counted.failed : counted.answered).add();
    auto took = std::chrono::steady_clock::now() - started;
    counted.seconds.observe(took);
    log_.debug("call", {{"agent", call.client.caller().label()},
                        {"tool", call.tool->name},
                        {"milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()},
                        {"failed", result.is_error}});
}

Task<> CallPipeline::close_record(CallOutcome outcome) {
    if (!outcome.recorded || outcome.is_waiting) co_return;
    (void)co_await outcome.recorded->finish(std::move(outcome.result), plain_text);
}

bool CallPipeline::lists(const tools::StandsFor& way, const tools::Caller& caller) const {
    return !options_.gate || options_.gate->lists(way.as_tool(), caller);
}

CallPipeline::ToolMetrics& CallPipeline::metrics_of(const std::string& tool) {
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
