// What coroutines cost.
#include <benchmark/benchmark.h>

#include "util/async.h"

namespace {

Task<int> count_down(int depth) {
    if (depth == 0) co_return 0;
    co_return 1 + co_await count_down(depth - 1);
}

void await_chain(benchmark::State& state, int depth) {
    for (auto _ : state) {
        Running running = start(count_down(depth), [](Result<int> sum) { benchmark::DoNotOptimize(sum); });
        benchmark::DoNotOptimize(running.done());
    }
}
BENCHMARK_CAPTURE(await_chain, one, 0)->Name("task: start one and take its value");
BENCHMARK_CAPTURE(await_chain, ten, 10)->Name("task: the same, 10 tasks deep");

Task<int> fail_at(int depth) {
    if (depth == 0) co_return Error{.message = "No element e9 on this page.", .hint = "Take a new snapshot."};
    co_return co_await fail_at(depth - 1);
}

void pass_error_up(benchmark::State& state, int depth) {
    for (auto _ : state) {
        Running running = start(fail_at(depth), [](Result<int> sum) { benchmark::DoNotOptimize(sum); });
        benchmark::DoNotOptimize(running.done());
    }
}
BENCHMARK_CAPTURE(pass_error_up, one, 0)->Name("task: fail");
BENCHMARK_CAPTURE(pass_error_up, three, 3)->Name("task: fail 3 tasks deep");

Task<int> wait_for(Completion<int> completion) { co_return co_await completion; }

void complete(benchmark::State& state) {
    Loop loop(1);
    for (auto _ : state) {
        Completion<int> completion(loop);
        Running running = start(wait_for(completion));
        completion.set(1);
        loop.restart();
        loop.poll();
        benchmark::DoNotOptimize(running.done());
    }
}
BENCHMARK(complete)->Name("task: wait for a completion");

void with_a_deadline(benchmark::State& state) {
    Loop loop(1);
    for (auto _ : state) {
        Running running =
            start(with_deadline(loop, count_down(0), Deadline::in(std::chrono::minutes(1)), "Counting"));
        loop.restart();
        loop.poll();
        benchmark::DoNotOptimize(running.done());
    }
}
BENCHMARK(with_a_deadline)->Name("task: one under a deadline");

void cancel(benchmark::State& state) {
    Loop loop(1);
    for (auto _ : state) {
        Completion<int> never(loop);
        Running running = start(wait_for(never));
        running.cancel();
    }
}
BENCHMARK(cancel)->Name("task: start and cancel");

}  // namespace
