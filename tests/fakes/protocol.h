// A protocol server with a few tools, and a client that remembers what it was sent.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "mcp/connection.h"
#include "mcp/server.h"
#include "tools/resource.h"
#include "util/async.h"
#include "util/log.h"
#include "util/metrics.h"

namespace fakes {

// Keeps every message, parsed.
class RecordingSink final : public mcp::ResponseSink, public mcp::Peer {
public:
    void notify(std::string message) override { messages.push_back(json::parse(message).value()); }
    void send(std::string message) override { notify(std::move(message)); }
    void respond(std::string message, int http_status) override {
        notify(std::move(message));
        status = http_status;
        ++responses;
    }
    // The last message; null when there is none.
    json::value last() const { return messages.empty() ? json::value() : messages.back(); }

    std::vector<json::value> messages;
    int responses = 0;
    int status = 0;
};

struct EchoParams {
    std::string text;
};

// What a test does to a tool that waits.
struct WaitingTool {
    explicit WaitingTool(Loop& loop) : released(loop) {}
    Completion<int> released;
    int started = 0;
    int cleaned_up = 0;
};

inline Task<tools::ToolResult> echo(tools::Call, EchoParams params) {
    co_return tools::ToolResult::text(params.text);
}

inline Task<tools::ToolResult> wait_until_released(WaitingTool& tool, tools::Call call) {
    struct CleanUp {
        WaitingTool& tool;
        ~CleanUp() { ++tool.cleaned_up; }
    } clean_up{tool};
    ++tool.started;
    call.client.report_progress(1, 2, "half");
    call.client.report_progress(1, 2, "no progress at all");
    call.client.log(tools::MessageLevel::Info, "test", "working");
    co_await tool.released;
    co_return tools::ToolResult::text("released");
}

// Tells its client nothing before its answer.
inline Task<tools::ToolResult> say_nothing_until(Completion<int> released) {
    co_await released;
    co_return tools::ToolResult::text("quiet");
}

inline Task<tools::ToolResult> fail(tools::Call) {
    co_await Error{
        .code = ErrorCode::ElementNotFound, .message = "No element e9.", .hint = "Take a new snapshot."};
    co_return tools::ToolResult{};
}

inline Task<tools::ToolResult> throw_out(tools::Call) {
    throw std::runtime_error("secret internals");
    co_return tools::ToolResult{};
}

inline Task<tools::ToolResult> raw_json(std::string result) {
    tools::ToolResult given;
    given.raw_json = std::move(result);
    co_return given;
}

inline json::object one_field(std::string_view name) {
    return {{"type", "object"}, {"properties", json::object{{name, json::object{{"type", "string"}}}}}};
}

// Two questions, the second after the first was answered.
inline Task<tools::ToolResult> ask_twice(tools::Call call) {
    auto first = co_await call.client.ask({tools::elicit("name", "Name?", one_field("name"))});
    auto second = co_await call.client.ask({tools::elicit("color", "Color?", one_field("color"))});
    co_return tools::ToolResult::text(json::serialize(first["name"]) + json::serialize(second["color"]));
}

// Has every address that begins alike; nothing is behind any.
class Addresses final : public tools::ResourceProvider {
public:
    explicit Addresses(std::string prefix) : prefix_(std::move(prefix)) {}
    std::vector<tools::Resource> list(const tools::Caller&) const override { return {}; }
    std::optional<tools::Access> reading(const std::string& uri) const override {
        if (!uri.starts_with(prefix_)) return std::nullopt;
        return tools::Access{{"read", "", tools::Effect::ReadsServer}};
    }
    Task<std::optional<std::vector<tools::ResourceContents>>> read(std::string, tools::Client&) override {
        co_return std::nullopt;
    }

private:
    std::string prefix_;
};

// Everything a connection needs, with the loop in the test's hands.
class Protocol {
public:
    explicit Protocol(mcp::ServerOptions options = {.version = "1.2.3"})
        : waiting(loop), server(loop, registry, std::move(options), log, metrics) {
        registry.add(tools::tool<EchoParams>({.name = "echo",
                                              .title = "Echo",
                                              .description = "Gives back its text.",
                                              .effect = tools::Effect::ReadsServer,
                                              .params = {{"text", &EchoParams::text, "What to give back."}},
                                              .handler = echo}));
        add("wait", [this](tools::Call call) { return wait_until_released(waiting, call); });
        add("fail", fail);
        add("throw", throw_out);
        add("ask", ask_twice);
        registry.add(std::make_shared<Addresses>("x://"));
    }

    // No call of any test is ever overdue, unless the test says so. Fuzz targets use this class, too, and
    // have no GoogleTest: they and the tests end with the message.
    ~Protocol() {
        if (auto overdue = server.watchdog().overdue_count(); overdue != expected_overdue) {
            std::cerr << "overdue calls: " << overdue << ", expected " << expected_overdue << '\n';
            std::abort();
        }
    }

    void add(std::string name, std::function<Task<tools::ToolResult>(tools::Call)> run) {
        registry.add(tools::Tool{.name = std::move(name),
                                 .description = "For tests.",
                                 .input_schema = {{"type", "object"}},
                                 .run = std::move(run)});
    }
    // Runs what is ready, without waiting for timers.
    void settle() {
        loop.restart();
        loop.poll();
    }

    std::uint64_t expected_overdue = 0;
    Loop loop;
    Log log = Log::silent();
    Metrics metrics;
    tools::Registry registry;
    WaitingTool waiting;
    mcp::Server server;
};

}  // namespace fakes
