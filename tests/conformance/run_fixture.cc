#include "tests/conformance/run_fixture.h"

#include <csignal>
#include <cstdio>

#include "transport/service.h"

namespace conformance {

int run_fixture(tools::Registry& registry, Loop& loop, std::optional<std::uint16_t> port) {
    std::signal(SIGPIPE, SIG_IGN);
    Log log = std::move(Log::create({.level = LogLevel::Warn})).value();
    Metrics metrics;
    transport::ServiceOptions options;
    options.server.version = TROUPE_VERSION;
    options.server.name = "troupe-conformance";
    options.server.instructions = "Fixtures for the official conformance suites.";
    if (port) options.port = *port;
    options.ready = [](int bound) {
        if (bound != 0) std::fprintf(stderr, "Listening on http://localhost:%d/mcp\n", bound);
    };
    auto outcome = transport::run_service(loop, registry, std::move(options), log, metrics);
    if (!outcome) std::fprintf(stderr, "%s\n", outcome.error().to_string().c_str());
    return outcome ? 0 : 1;
}

}  // namespace conformance
