// Bytes into the reader of event streams, whole and in pieces; and our own events, written and read back.
#include "tests/fuzz/input.h"
#include "transport/event_stream.h"
#include "transport/sse_parser.h"

namespace {

using fuzz::require;
using transport::SseEvent;
using transport::SseParser;

struct Outcome {
    std::vector<SseEvent> events;
    bool failed = false;
    std::string last_event_id;
    std::optional<std::chrono::milliseconds> retry;

    bool operator==(const Outcome&) const = default;
};

Outcome parse(const std::vector<std::string_view>& pieces, std::size_t max_event) {
    SseParser parser(max_event);
    Outcome outcome;
    for (std::string_view piece : pieces) {
        if (!parser.feed(piece, outcome.events)) outcome.failed = true;
    }
    outcome.last_event_id = parser.last_event_id();
    outcome.retry = parser.retry();
    return outcome;
}

bool fits_one_line(std::string_view text) { return text.find_first_of("\r\n") == std::string_view::npos; }

void check_round_trip(std::string_view input) {
    std::string_view rest = input;
    std::string_view name = fuzz::take_until(rest, "|"), id = fuzz::take_until(rest, "|"), data = rest;
    if (!fits_one_line(name) || !fits_one_line(id) || !fits_one_line(data)) return;
    if (id.find('\0') != std::string_view::npos) return;

    Outcome outcome = parse({transport::format_event(name, id, data)}, SseParser::kDefaultMaxEvent);

    require(outcome.events.size() == 1, "one event comes back as one", input);
    require(outcome.events[0].data == data, "an event's data comes back", input);
    require(outcome.events[0].type == (name.empty() ? "message" : name), "an event's name comes back", input);
    require(outcome.last_event_id == id, "an event's id comes back", input);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input = fuzz::as_text(data, size);
    auto manner = fuzz::Manner::take(input);
    std::size_t max_event = manner.flag ? 64 : SseParser::kDefaultMaxEvent;

    Outcome whole = parse({input}, max_event);
    Outcome pieces = parse(fuzz::cut_into_pieces(input, manner.cut), max_event);

    require(whole == pieces, "it does not matter where the bytes are cut", input);
    require(manner.flag || !whole.failed, "only an event that is too large is an error", input);
    for (const SseEvent& event : whole.events) {
        require(event.data.size() + event.type.size() <= max_event + 7, "no event is over the limit",
                event.data);
        require(!event.type.empty(), "every event has a type", input);
    }
    check_round_trip(input);
    return 0;
}
