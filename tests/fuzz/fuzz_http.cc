// Bytes into the HTTP server and all that stands behind it: every path, both eras, pipelined, cut anywhere.
//
// An input is a script. Its first byte says how bytes are cut and over what they come (see Manner); then come steps,
// each sent once the server has done all it can do with those before. `%%` ends a step, `%+` also opens a further
// connection, `%T` lets 20 seconds pass. `%S` stands for the session's id, which no input can know.
#include "tests/fuzz/input.h"
#include "tests/fuzz/wire.h"

namespace {

using fuzz::Wire;

std::string with_session(std::string_view step, const Wire& wire) {
    std::string text(step);
    for (std::size_t at; (at = text.find("%S")) != std::string::npos;) text.replace(at, 2, wire.session_id());
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input = fuzz::as_text(data, size);
    auto manner = fuzz::Manner::take(input);
    auto over = manner.flag ? Wire::Over::UnixSocket : Wire::Over::Tcp;
    Wire wire;
    wire.connect(over);
    while (!input.empty()) {
        // A step ends before a percent sign that begins a command.
        std::size_t end = input.find('%');
        while (end != std::string_view::npos && end + 1 < input.size() &&
               std::string_view("%+T").find(input[end + 1]) == std::string_view::npos)
            end = input.find('%', end + 1);
        std::string step = with_session(input.substr(0, end), wire);
        for (std::string_view piece : fuzz::cut_into_pieces(step, manner.cut)) wire.send(piece);
        input.remove_prefix(std::min(end, input.size()));
        if (input.starts_with("%+")) wire.connect(over);
        if (input.starts_with("%T")) wire.pass(std::chrono::seconds(20));
        input.remove_prefix(std::min<std::size_t>(2, input.size()));
    }
    wire.check_answers();
    wire.check_health();
    wire.hang_up();
    return 0;
}
