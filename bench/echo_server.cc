// troupe_echo: the server library with one tool, the counterpart of echo_server.mjs. Never shipped.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "transport/service.h"

namespace {

using namespace tools;

struct EchoParams {
    std::string text;
};

Task<ToolResult> echo(Call, EchoParams params) { co_return ToolResult::text(std::move(params.text)); }

}  // namespace

// troupe_echo [--port N] [--socket PATH]; without either it speaks on standard input and output.
int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    transport::ServiceOptions options;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::string_view(argv[i]) == "--port") options.port = std::atoi(argv[i + 1]);
        if (std::string_view(argv[i]) == "--socket") options.socket = argv[i + 1];
    }
    options.ready = [](int port) {
        if (port != 0) std::fprintf(stderr, "Listening on http://localhost:%d\n", port);
    };

    Loop loop(1);
    Log log = std::move(Log::create({.level = LogLevel::Warn})).value();
    Metrics metrics;
    Registry registry;
    registry.add(tool<EchoParams>({
        .name = "echo",
        .title = "Echo",
        .description = "Answers with its argument.",
        .effect = Effect::ReadsServer,
        .params = {{"text", &EchoParams::text, "What to answer."}},
        .handler = echo,
    }));
    auto outcome = transport::run_service(loop, registry, std::move(options), log, metrics);
    if (!outcome) std::fprintf(stderr, "troupe_echo: %s\n", outcome.error().to_string().c_str());
    return outcome ? 0 : 1;
}
