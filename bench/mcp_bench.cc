// The protocol without a transport: from a message's text to its answer's text.
#include <benchmark/benchmark.h>

#include "bench/click_tool.h"
#include "bench/messages.h"
#include "mcp/connection.h"

namespace {

void parse_message(benchmark::State& state) {
    json::value message = json::parse(bench::kCallTool).value();
    for (auto _ : state) benchmark::DoNotOptimize(mcp::parse_message(message));
}
BENCHMARK(parse_message)->Name("mcp: take a parsed tools/call apart");

class Nobody final : public mcp::Peer {
    void send(std::string) override {}
};

class CountingSink final : public mcp::ResponseSink {
public:
    void notify(std::string) override {}
    void respond(std::string message, int) override { bytes += message.size(); }
    std::size_t bytes = 0;
};

// A server with one client that has shaken hands.
struct Conversation {
    Conversation() { say(bench::kInitialize); }

    void say(std::string_view text) {
        connection.receive_text(text, sink);
        loop.restart();
        loop.poll();
    }

    Loop loop{1};
    Log log = Log::silent();
    Metrics metrics;
    tools::Registry registry = bench::typical_registry();
    mcp::Server server{loop, registry, {}, log, metrics};
    Nobody peer;
    mcp::Connection connection{server, peer, tools::Caller{.connection = "bench"}};
    std::shared_ptr<CountingSink> sink = std::make_shared<CountingSink>();
};

void answer(benchmark::State& state, std::string_view text) {
    Conversation conversation;
    for (auto _ : state) {
        std::size_t before = conversation.sink->bytes;
        conversation.say(text);
        if (conversation.sink->bytes == before) state.SkipWithError("no answer");
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(answer, ping, R"({"jsonrpc":"2.0","id":3,"method":"ping"})")->Name("mcp: ping");
BENCHMARK_CAPTURE(answer, list, bench::kListTools)->Name("mcp: tools/list of 25 tools");
BENCHMARK_CAPTURE(answer, call, bench::kCallTool)->Name("mcp: tools/call");
BENCHMARK_CAPTURE(answer, modern_call, bench::kCallToolModern)->Name("mcp: stateless tools/call");
BENCHMARK_CAPTURE(answer, unknown, R"({"jsonrpc":"2.0","id":4,"method":"no/such"})")
    ->Name("mcp: unknown method");

}  // namespace
