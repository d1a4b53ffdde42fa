// The process's own chores: configuration, log lines, metrics.
#include <benchmark/benchmark.h>

#include "config/load.h"
#include "config/schema.h"
#include "util/log.h"
#include "util/metrics.h"

namespace {

void load_config(benchmark::State& state, const std::vector<std::string>& arguments) {
    for (auto _ : state) benchmark::DoNotOptimize(config::load(arguments, {}, "/"));
}
BENCHMARK_CAPTURE(load_config, defaults, std::vector<std::string>{})->Name("config: load the defaults");
BENCHMARK_CAPTURE(load_config, flags,
                  std::vector<std::string>{"--port", "0", "--headless", "--isolated", "--caps", "vision,pdf"})
    ->Name("config: load with 5 flags");

void log_line(benchmark::State& state, LogOptions options) {
    options.file = "/dev/null";
    Log log = std::move(Log::create(options)).value();
    for (auto _ : state)
        log.info("tool called", {{"tool", "browser_click"}, {"ms", 12}, {"caller", "agent 7"}});
}
BENCHMARK_CAPTURE(log_line, text, LogOptions{})->Name("log: a text line of 3 fields");
BENCHMARK_CAPTURE(log_line, json, LogOptions{.format = LogFormat::Json})
    ->Name("log: a JSON line of 3 fields");
BENCHMARK_CAPTURE(log_line, below, LogOptions{.level = LogLevel::Warn})->Name("log: a line below the level");

void count(benchmark::State& state) {
    Metrics metrics;
    for (auto _ : state) {
        metrics
            .counter("troupe_tool_calls_total", "Tool calls answered.",
                     {{"tool", "browser_click"}, {"outcome", "ok"}})
            .add();
    }
}
BENCHMARK(count)->Name("metrics: count with 2 labels");

}  // namespace
