// An upstream engine over the fake server, and a client that calls through it.
#pragma once

#include <signal.h>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"
#include "upstream/engine.h"
#include "upstream/reaper.h"

namespace upstream_tests {

using namespace std::chrono_literals;
using fakes::run_task;
using fakes::run_until;

inline const std::string kFakeServer = TROUPE_BINARY_DIR "/fake_mcp_server";

class FakeClient final : public tools::Client {
public:
    explicit FakeClient(std::string session)
        : caller_{.connection = std::move(session), .client_name = "Ann's", .client_version = "7"} {}

    const tools::Caller& caller() const override { return caller_; }
    bool answers(std::string_view method) const override { return answers_to.contains(std::string(method)); }
    void report_progress(double value, std::optional<double> total, std::string_view message) override {
        progress.push_back(std::to_string(static_cast<int>(value)) + "/" +
                           std::to_string(static_cast<int>(total.value_or(0))) + " " + std::string(message));
    }
    void log(tools::MessageLevel, std::string_view logger, json::value data) override {
        logged.push_back(std::string(logger) + ": " + json::serialize(data));
    }
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest> requests) override {
        const tools::InputRequest& request = requests.at(0);
        asked.push_back(request.method + " " + json::serialize(request.params));
        struct Withdrawn {
            int& count;
            ~Withdrawn() { ++count; }
        } withdrawn{over};
        if (silent) co_await *silent;
        if (!answers(request.method)) co_return Error{.message = "This client does not answer."};
        co_return std::map<std::string, json::value>{{request.key, answers_to.at(request.method)}};
    }

    std::map<std::string, json::value> answers_to;  // by method
    std::optional<Completion<bool>> silent;         // given, no answer comes before this
    std::vector<std::string> progress, logged, asked;
    int over = 0;  // questions that were answered or withdrawn

private:
    tools::Caller caller_;
};

inline bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

class UpstreamTest : public testing::Test {
protected:
    explicit UpstreamTest(Log given = Log::silent()) : log(std::move(given)) {
        options.command = {kFakeServer};
        options.reaper = reaper.command();
        options.timing.restart.pauses = {1ms, 2ms, 4ms};
        options.timing.terminate = 500ms;
    }
    ~UpstreamTest() override {
        if (engine) static_cast<void>(run_task(loop, engine->close()));
    }

    Result<void> read_tools() {
        engine = std::make_unique<upstream::Engine>(
            loop, options, registry,
            [](const tools::Caller& caller) {
                return session::SessionKey{caller.connection, caller.session_name};
            },
            log);
        return run_task(loop, engine->read_tools());
    }
    void begin() {
        auto read = read_tools();
        ASSERT_TRUE(read) << read.error().to_string();
    }

    Task<tools::ToolResult> calling(FakeClient& client, const std::string& tool) {
        return registry.find_tool(tool)->run({arguments, client, Deadline::in(20s)});
    }
    tools::ToolResult call(const std::string& tool, const std::string& session = "one") {
        FakeClient client(session);
        auto result = run_task(loop, calling(client, tool));
        return result ? *result : tools::ToolResult::from(result.error());
    }
    // What the result says, the JSON around it taken off.
    static std::string text_of(const tools::ToolResult& result) {
        if (result.raw_json.empty()) return std::get<tools::Text>(result.content.at(0)).text;
        auto parsed = json::parse(result.raw_json);
        return std::string(parsed->at("content").at(0).at("text").get_string());
    }
    std::string said(const std::string& tool, const std::string& session = "one") {
        return text_of(call(tool, session));
    }
    pid_t pid(const std::string& session = "one") { return std::stoi(said("pid", session)); }

    upstream::Reaper reaper = *upstream::Reaper::create();
    Loop loop{1};
    Log log;
    upstream::Options options;
    tools::Registry registry;
    json::value arguments = json::object{{"a", 1}};
    std::unique_ptr<upstream::Engine> engine;
};

}  // namespace upstream_tests
