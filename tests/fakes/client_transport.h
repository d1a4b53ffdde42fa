// An MCP server played by the test.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "mcp/client_transport.h"
#include "util/json.h"

namespace fakes {

class FakeClientTransport final : public mcp::ClientTransport {
public:
    void start(Handlers given) override { handlers = std::move(given); }
    void send(std::string message, std::optional<std::int64_t> request) override {
        sent.push_back(std::move(message));
        if (request) waiting.insert(*request);
    }
    void release(std::int64_t request) override { waiting.erase(request); }
    void set_protocol_version(std::string_view given) override { version = given; }
    void close() override { closed = true; }

    void receive(std::string message) { handlers.on_message(std::move(message)); }
    // The last message that was sent, parsed.
    json::object last() const { return json::parse(sent.back())->as_object(); }

    Handlers handlers;
    std::vector<std::string> sent;
    std::set<std::int64_t> waiting;
    std::string version;
    bool closed = false;
};

}  // namespace fakes
