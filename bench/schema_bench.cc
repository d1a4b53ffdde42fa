// Arguments: from JSON to a struct, and the general validator.
#include <benchmark/benchmark.h>

#include "bench/click_tool.h"
#include "schema/validator.h"

namespace {

json::value click_arguments() {
    return {{"target", "e12"}, {"button", "left"}, {"doubleClick", false}, {"margin", 8.5}};
}

void decode(benchmark::State& state, const json::value& arguments) {
    auto params = bench::ClickParams::params();
    for (auto _ : state) benchmark::DoNotOptimize(params.decode(arguments));
}
BENCHMARK_CAPTURE(decode, good, click_arguments())->Name("schema: decode 4 arguments");
BENCHMARK_CAPTURE(decode, bad, json::value{{"target", 12}, {"button", "none"}})
    ->Name("schema: refuse wrong arguments");

void validate(benchmark::State& state) {
    auto validator = schema::Validator::create(bench::ClickParams::params().to_schema()).value();
    json::value arguments = click_arguments();
    for (auto _ : state) benchmark::DoNotOptimize(validator.check(arguments));
}
BENCHMARK(validate)->Name("schema: validate 4 arguments");

void declare(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(bench::click_tool("browser_click"));
}
BENCHMARK(declare)->Name("schema: declare a tool (at start)");

}  // namespace
