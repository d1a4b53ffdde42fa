// From an HTTP request to its answer, sockets left out; and the framing of event streams.
#include <benchmark/benchmark.h>

#include "bench/click_tool.h"
#include "bench/messages.h"
#include "transport/endpoints.h"
#include "transport/sse_parser.h"

namespace {

using transport::Headers;

// One request whose answer goes nowhere.
class FakeExchange final : public transport::HttpExchange {
public:
    FakeExchange(std::string_view body, const Headers& headers) : body_(body), headers_(headers) {}

    std::string_view method() const override { return "POST"; }
    std::string_view path() const override { return "/mcp"; }
    std::string_view query() const override { return {}; }
    std::string_view body() const override { return body_; }
    std::optional<std::string_view> header(std::string_view name) const override {
        for (const auto& [key, value] : headers_) {
            if (key == name) return value;
        }
        return std::nullopt;
    }
    bool is_local_socket() const override { return false; }
    bool wants_upgrade() const override { return false; }
    void respond(int given_status, const Headers& headers, std::string) override {
        status = given_status;
        for (const auto& [key, value] : headers) {
            if (key == "Mcp-Session-Id") session = value;
        }
    }
    void begin_stream(int, const Headers&, std::string) override {}
    void write(std::string) override {}
    void end() override {}
    void accept_websocket(std::string_view, transport::WebSocketAccepted) override {}
    void on_gone(std::function<void()>) override {}
    bool is_gone() const override { return false; }

    int status = 0;
    std::string session;

private:
    std::string_view body_;
    const Headers& headers_;
};

struct Site {
    Site() { endpoints.set_access({.port = 8931}); }

    std::shared_ptr<FakeExchange> post(std::string_view body, const Headers& headers) {
        auto exchange = std::make_shared<FakeExchange>(body, headers);
        endpoints.handle(exchange);
        loop.restart();
        loop.poll();
        return exchange;
    }

    Loop loop{1};
    Log log = Log::silent();
    Metrics metrics;
    tools::Registry registry = bench::typical_registry();
    mcp::Server server{loop, registry, {}, log, metrics};
    transport::Endpoints endpoints{server, {}};
};

const Headers kHeaders{
    {"Host", "localhost:8931"},
    {"Content-Type", "application/json"},
    {"Accept", "application/json, text/event-stream"},
};

void post(benchmark::State& state, std::string_view body, const Headers& more, bool in_session) {
    Site site;
    Headers headers = kHeaders;
    headers.insert(headers.end(), more.begin(), more.end());
    if (in_session) headers.emplace_back("Mcp-Session-Id", site.post(bench::kInitialize, kHeaders)->session);
    for (auto _ : state) {
        if (site.post(body, headers)->status != 200) state.SkipWithError("not answered with 200");
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(post, call, bench::kCallTool, {{"MCP-Protocol-Version", "2025-11-25"}}, true)
    ->Name("http: tools/call in a session");
BENCHMARK_CAPTURE(post, modern_call, bench::kCallToolModern,
                  {{"MCP-Protocol-Version", "2026-07-28"},
                   {"Mcp-Method", "tools/call"},
                   {"Mcp-Name", "browser_click"}},
                  false)
    ->Name("http: stateless tools/call");

const std::string kMessage = R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":")" +
                             std::string(400, 'x') + R"("}]}})";

void format_event(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(transport::format_event("message", "3-17", kMessage));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kMessage.size()));
}
BENCHMARK(format_event)->Name("sse: format an event of 500 bytes");

void keep_event(benchmark::State& state) {
    transport::EventStreams streams;
    for (auto _ : state) streams.append(transport::EventStreams::kStandalone, kMessage);
}
BENCHMARK(keep_event)->Name("sse: keep an event for a client that comes back");

void parse_event(benchmark::State& state) {
    std::string bytes = transport::format_event("message", "3-17", kMessage);
    transport::SseParser parser;
    std::vector<transport::SseEvent> events;
    for (auto _ : state) {
        events.clear();
        benchmark::DoNotOptimize(parser.feed(bytes, events));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(parse_event)->Name("sse: parse an event of 500 bytes");

}  // namespace
