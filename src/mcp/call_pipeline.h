// The single path by which every caller runs a tool.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mcp/call_middleware.h"
#include "tools/call_gate.h"
#include "tools/stands_for.h"
#include "util/async.h"
#include "util/log.h"
#include "util/metrics.h"

namespace mcp {

struct ServerOptions;

// A call of a tool, or of an operation that stands for one. Its references stay valid until it has run.
struct CallToRun {
    std::shared_ptr<const tools::Tool> tool;
    const json::value& arguments;
    tools::Client& client;
    std::string request_id = {};            // the caller's own name for it
    bool recorded = true;                   // false: it only reads what the server knows
    std::function<bool()> is_waiting = {};  // whether the call ended because its client must be asked first
    std::string counted_as = {};            // in metrics; empty: its tool's name
};

struct CallOutcome {
    tools::ToolResult result;                // holds the error of a failed call
    std::optional<Error> error;              // why it failed, unless the tool itself answered with an error
    std::unique_ptr<RecordedCall> recorded;  // to be finished with the sent result; null: not recorded
    bool is_waiting = false;  // there is no result: the client's next request runs the call again
};

// Records every call, checks it against the rules, runs it with a deadline, counts and logs it, in this
// order. Lives on the main loop.
class CallPipeline {
public:
    CallPipeline(Loop& loop, const ServerOptions& options, Log& log, Metrics& metrics)
        : loop_(loop), options_(options), log_(log), metrics_(metrics) {}

    Task<CallOutcome> run(CallToRun call);

    // Does the same for an operation that stands for a tool but returns another type than a tool result.
    // Fails with the error of the call.
    template <class T>
    Task<T> run_as(tools::Access access, json::object arguments, tools::Client& client,
                   std::function<Task<T>()> work, std::function<bool()> is_waiting = {});

    // Whether the rules let the caller see the operation.
    bool lists(const tools::StandsFor& way, const tools::Caller& caller) const;

private:
    // The metrics of one tool's calls.
    struct ToolMetrics {
        Counter& answered;
        Counter& failed;
        Histogram& seconds;
    };

    Task<tools::ToolResult> admit_and_run(const tools::Tool& tool, tools::Call call, RecordedCall* recorded);
    ToolMetrics& metrics_of(const std::string& tool);
    void count(const CallToRun& call, const tools::ToolResult& result,
               std::chrono::steady_clock::time_point started);
    // Ends the record of an operation that stands for a tool.
    static Task<> close_record(CallOutcome outcome);

    Loop& loop_;
    const ServerOptions& options_;
    Log& log_;
    Metrics& metrics_;
    std::map<std::string, ToolMetrics, std::less<>> tool_metrics_;
};

namespace detail {
template <class T>
Task<tools::ToolResult> run_into(std::function<Task<T>()>& work, std::optional<T>& into) {
    into = co_await work();
    co_return tools::ToolResult::text("Done.");
}
}  // namespace detail

template <class T>
Task<T> CallPipeline::run_as(tools::Access access, json::object arguments, tools::Client& client,
                             std::function<Task<T>()> work, std::function<bool()> is_waiting) {
    std::optional<T> done;
    if (!access.session.empty()) arguments["sessionId"] = access.session;
    json::value given = std::move(arguments);
    auto tool = std::make_shared<tools::Tool>(access.as.as_tool());
    tool->run = [&work, &done](tools::Call) { return detail::run_into(work, done); };
    CallOutcome outcome = co_await run({.tool = tool,
                                        .arguments = given,
                                        .client = client,
                                        .recorded = access.as.is_recorded(),
                                        .is_waiting = std::move(is_waiting)});
    std::optional<Error> error = outcome.error;
    co_await close_record(std::move(outcome));
    if (error) co_await *error;
    co_return std::move(*done);
}

}  // namespace mcp
