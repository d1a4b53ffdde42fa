// Lines of bytes into the protocol, as a pipe would bring them: both eras, batches, answers to our own
// questions.
#include "tests/fuzz/messages.h"
#include "tests/fuzz/world.h"

namespace {

using fuzz::Ledger;
using fuzz::require;

// The way back for one line. Holds the protocol to what peer.h says.
class CheckedSink final : public mcp::ResponseSink {
public:
    explicit CheckedSink(Ledger& ledger) : ledger_(ledger) {}

    void notify(std::string message) override {
        require(!responded_, "nothing follows the answer", message);
        ledger_.received(message);
    }
    void respond(std::string message, int http_status) override {
        notify(message);
        responded_ = true;
        require(http_status >= 200 && http_status < 600, "an answer has an HTTP status", message);
    }

private:
    Ledger& ledger_;
    bool responded_ = false;
};

class CheckedPeer final : public mcp::Peer {
public:
    explicit CheckedPeer(Ledger& ledger) : ledger_(ledger) {}
    void send(std::string message) override { ledger_.received(message); }

private:
    Ledger& ledger_;
};

constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":"the end","method":"ping"})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::World world;
    Ledger ledger;
    CheckedPeer peer(ledger);
    auto connection = std::make_unique<mcp::Connection>(world.server, peer, tools::Caller{.connection = "c"});
    auto receive = [&](std::string_view line) {
        ledger.sent(line);
        connection->receive_text(line, std::make_shared<CheckedSink>(ledger));
        world.settle();
    };

    std::string_view rest = fuzz::as_text(data, size);
    while (!rest.empty()) receive(fuzz::take_until(rest, "\n"));

    int before = ledger.answers("\"the end\"");
    receive(kPing);
    require(ledger.answers("\"the end\"") > before, "the server still answers");

    connection.reset();
    world.settle();
    require(world.waiting.cleaned_up == world.waiting.started, "calls end with their client");
    return 0;
}
