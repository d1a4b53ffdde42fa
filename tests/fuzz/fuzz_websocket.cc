// Bytes as frames into a WebSocket whose handshake is done. The first byte says how they are cut (see
// Manner).
#include "tests/fuzz/input.h"
#include "tests/fuzz/messages.h"
#include "tests/fuzz/wire.h"

namespace {

using fuzz::require;
using fuzz::Wire;

constexpr std::string_view kHandshake =
    "GET /ws HTTP/1.1\r\nHost: localhost:8931\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: "
    "mcp\r\n\r\n";

std::size_t big_endian(std::string_view bytes) {
    std::size_t number = 0;
    for (char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
    return number;
}

// Reads the server's frames as RFC 6455 has them: never masked, texts whole, controls short.
void check_frames(std::string_view bytes) {
    fuzz::Ledger ledger;
    while (bytes.size() >= 2) {
        auto first = static_cast<unsigned char>(bytes[0]), second = static_cast<unsigned char>(bytes[1]);
        require(first & 0x80U, "our frames are whole messages", bytes);
        require(!(second & 0x80U), "our frames are not masked", bytes);
        unsigned opcode = first & 0x7fU;
        std::size_t length = second, head = 2;
        if (length >= 126) {
            head += length == 126 ? 2 : 8;
            if (bytes.size() < head) return;
            length = big_endian(bytes.substr(2, head - 2));
        }
        if (bytes.size() < head + length) return;
        std::string text(bytes.substr(head, length));
        bytes.remove_prefix(head + length);
        if (opcode == 1) {
            require(json::parse(text).has_value(), "a text frame is a message", text);
        } else {
            require(opcode == 8 || opcode == 9 || opcode == 10, "our frames are texts and controls");
            require(length <= 125, "a control frame is short", text);
            if (opcode == 8) return require(bytes.empty(), "nothing follows a close frame", bytes);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input = fuzz::as_text(data, size);
    auto manner = fuzz::Manner::take(input);
    Wire wire;
    wire.connect(Wire::Over::Tcp);
    wire.send(kHandshake);
    std::size_t head = wire.received().find("\r\n\r\n");
    require(wire.received().starts_with("HTTP/1.1 101 ") && head != std::string::npos,
            "the handshake succeeds", wire.received());
    for (std::string_view piece : fuzz::cut_into_pieces(input, manner.cut)) wire.send(piece);
    check_frames(std::string_view(wire.received()).substr(head + 4));
    wire.check_health();
    wire.hang_up();
    return 0;
}
