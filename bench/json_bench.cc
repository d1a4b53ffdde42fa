// JSON in and out.
#include <benchmark/benchmark.h>

#include "bench/messages.h"
#include "util/json.h"

namespace {

void parse(benchmark::State& state, std::string_view text) {
    for (auto _ : state) benchmark::DoNotOptimize(json::parse(text));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(parse, initialize, bench::kInitialize)->Name("json: parse initialize");
BENCHMARK_CAPTURE(parse, call, bench::kCallTool)->Name("json: parse tools/call");
BENCHMARK_CAPTURE(parse, modern_call, bench::kCallToolModern)->Name("json: parse stateless tools/call");

void serialize_call(benchmark::State& state) {
    json::value message = json::parse(bench::kCallTool).value();
    for (auto _ : state) benchmark::DoNotOptimize(json::serialize(message));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bench::kCallTool.size()));
}
BENCHMARK(serialize_call)->Name("json: serialise tools/call");

// A snapshot of a page, as a tool answers with it: long, with quotes and line ends to escape.
std::string snapshot_text() {
    std::string text;
    while (text.size() < 64 << 10)
        text += "- button \"Add to basket\" [ref=e1042] [cursor=pointer]:\n  - text: Größe 42\n";
    return text;
}

void append_snapshot(benchmark::State& state) {
    std::string text = snapshot_text();
    for (auto _ : state) {
        std::string out;
        json::append_string(out, text);
        benchmark::DoNotOptimize(out);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(append_snapshot)->Name("json: escape a 64 KB snapshot");

}  // namespace
