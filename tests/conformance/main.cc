// troupe_conformance: the server library with the suites' fixtures instead of a browser. Never shipped.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "tests/conformance/fixtures.h"
#include "tests/conformance/run_fixture.h"

namespace {

int usage() {
    std::fputs("Usage: troupe_conformance --port N | --stdio\n", stderr);
    return 2;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return port;
}

}  // namespace

int main(int argc, char** argv) {
    std::optional<std::uint16_t> port;
    if (argc == 3 && std::string_view(argv[1]) == "--port") {
        port = parse_port(argv[2]);
        if (!port) return usage();
    } else if (argc != 2 || std::string_view(argv[1]) != "--stdio") {
        return usage();
    }

    Loop loop;
    tools::Registry registry;
    conformance::add_tools(registry, loop);
    conformance::add_questions(registry, loop);
    conformance::add_resources(registry, loop);
    conformance::add_prompts(registry, loop);
    return conformance::run_fixture(registry, loop, port);
}
