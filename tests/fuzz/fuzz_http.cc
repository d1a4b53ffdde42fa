// Bytes into the HTTP server and all that stands behind it: every path, both eras, pipelined, cut anywhere.
//
// An input is a script. Its first byte says how bytes are cut and over what they come (see Manner); then come
// steps, each sent once the server has done all it can do with those before. `%%` ends a step, `%+` also
// opens a further connection, `%T` lets 20 seconds pass. `%S` stands for the session's id, which no input can
// know.
#include "tests/fuzz/input.h"
#include "tests/fuzz/wire.h"

namespace {

using fuzz::Wire;

// Bytes to send and the command behind them: one of `%`, `+` and `T`, or nothing at the end.
struct Step {
    std::string_view bytes;
    char command = 0;
};

Step take_step(std::string_view& script) {
    for (std::size_t at = script.find('%'); at < script.size(); at = script.find('%', at + 1)) {
        char command = at + 1 < script.size() ? script[at + 1] : '\0';
        if (command != '%' && command != '+' && command != 'T') continue;
        Step step{.bytes = script.substr(0, at), .command = command};
        script.remove_prefix(at + 2);
        return step;
    }
    return {.bytes = std::exchange(script, {})};
}

std::string with_session(std::string_view bytes, const std::string& id) {
    std::string text(bytes);
    for (std::size_t at = 0; (at = text.find("%S", at)) != std::string::npos; at += id.size())
        text.replace(at, 2, id);
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view script = fuzz::as_text(data, size);
    auto manner = fuzz::Manner::take(script);
    auto over = manner.flag ? Wire::Over::UnixSocket : Wire::Over::Tcp;
    Wire wire;
    wire.connect(over);
    while (!script.empty()) {
        Step step = take_step(script);
        std::string bytes = with_session(step.bytes, wire.session_id());
        for (std::string_view piece : fuzz::cut_into_pieces(bytes, manner.cut)) wire.send(piece);
        if (step.command == '+') wire.connect(over);
        if (step.command == 'T') wire.pass(std::chrono::seconds(20));
    }
    wire.check_answers();
    wire.check_health();
    wire.hang_up();
    return 0;
}
