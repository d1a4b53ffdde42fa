// The one way to a tool's effect, whoever asks for it and however.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mcp/call_keeper.h"
#include "tools/call_gate.h"
#include "tools/stands_for.h"
#include "util/async.h"
#include "util/log.h"
#include "util/metrics.h"

namespace mcp {

struct ServerOptions;

// A call of a tool, or of something that stands for one. What it refers to lives until it has run.
struct CallToRun {
    std::shared_ptr<const tools::Tool> tool;
    const json::value& arguments;
    tools::Client& client;
    std::string request_id = {};            // the caller's own name for it
    bool recorded = true;                   // false: it only shows what the server knows
    std::function<bool()> is_waiting = {};  // whether it ended because its client has to be asked first
    std::string counted_as = {};            // in metrics; empty: its tool's name
};

struct CallOutcome {
    tools::ToolResult result;        // of a failed call, its error
    std::optional<Error> error;      // why it failed, unless the tool itself answered with an error
    std::unique_ptr<KeptCall> kept;  // to be finished with what is sent; null: not recorded
    bool is_waiting = false;         // there is no result: the client's next request runs the call again
};

// Recorded, judged by the rules, run in time, counted and logged: in this order, for every call. Lives on the
// main loop.
class CallPipeline {
public:
    CallPipeline(Loop& loop, const ServerOptions& options, Log& log, Metrics& metrics)
        : loop_(loop), options_(options), log_(log), metrics_(metrics) {}

    Task<CallOutcome> run(CallToRun call);

    // The same for a way that stands for a tool and gives something else than a tool's result. Fails as the
    // call would.
    template <class T>
    Task<T> run_as(tools::Access access, json::object arguments, tools::Client& client,
                   std::function<Task<T>()> work, std::function<bool()> is_waiting = {});

    // Whether rules let the caller know of it.
    bool lists(const tools::StandsFor& way, const tools::Caller& caller) const;

private:
    // Where one tool's calls are counted.
    struct ToolMetrics {
        Counter& answered;
        Counter& failed;
        Histogram& seconds;
    };

    Task<tools::ToolResult> admit_and_run(const tools::Tool& tool, tools::Call call);
    ToolMetrics& metrics_of(const std::string& tool);
    void count(const CallToRun& call, const tools::ToolResult& result,
               std::chrono::steady_clock::time_point started);
    // Ends the record of a way that stands for a tool.
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
