#include "transport/event_stream.h"

#include <charconv>

namespace transport {

Headers event_stream_headers(Headers more) {
    Headers headers{
        {"Content-Type", "text/event-stream"},
        {"Cache-Control", "no-cache, no-transform"},
        {"X-Accel-Buffering", "no"},
    };
    for (auto& header : more) headers.push_back(std::move(header));
    return headers;
}

std::string format_event(std::string_view name, std::string_view id, std::string_view data) {
    std::string event;
    event.reserve(data.size() + 64);
    if (!name.empty()) event.append("event: ").append(name).append("\n");
    if (!id.empty()) event.append("id: ").append(id).append("\n");
    return event.append("data: ").append(data).append("\n\n");
}

std::string priming_event(std::string_view id, int retry_milliseconds) {
    return "id: " + std::string(id) + "\nretry: " + std::to_string(retry_milliseconds) + "\ndata: \n\n";
}

std::string EventStreams::event_id(StreamId stream, std::uint64_t number) {
    return std::to_string(stream) + "-" + std::to_string(number);
}

void EventStreams::append(StreamId id, std::string_view message) {
    Stream& stream = streams_[id];
    std::uint64_t number = stream.next++;
    if (stream.reader && !stream.reader->is_gone()) {
        stream.reader->write(format_event("message", event_id(id, number), message));
        stream.delivered = number;
    }
    stream.events.push_back({number, std::string(message)});
    bytes_ += message.size();
    trim();
}

void EventStreams::finish(StreamId id) {
    Stream& stream = streams_[id];
    stream.finished = true;
    if (auto reader = std::exchange(stream.reader, nullptr)) reader->end();
    trim();
}

void EventStreams::release_reader(StreamId id) {
    if (auto it = streams_.find(id); it != streams_.end()) {
        if (auto reader = std::exchange(it->second.reader, nullptr)) reader->end();
    }
}

void EventStreams::attach(StreamId id, std::uint64_t position, std::shared_ptr<HttpExchange> exchange) {
    Stream& stream = streams_[id];
    if (auto former = std::exchange(stream.reader, nullptr)) former->end();
    for (const Event& event : stream.events) {
        if (event.number > position)
            exchange->write(format_event("message", event_id(id, event.number), event.message));
    }
    stream.delivered = stream.next - 1;
    if (stream.finished) {
        exchange->end();
    } else {
        stream.reader = std::move(exchange);
    }
}

bool EventStreams::has_reader(StreamId id) const {
    auto it = streams_.find(id);
    return it != streams_.end() && it->second.reader && !it->second.reader->is_gone();
}

bool EventStreams::has_readers() const {
    for (const auto& [id, stream] : streams_) {
        if (stream.reader && !stream.reader->is_gone()) return true;
    }
    return false;
}

std::uint64_t EventStreams::delivered(StreamId id) const {
    auto it = streams_.find(id);
    return it == streams_.end() ? 0 : it->second.delivered;
}

std::optional<EventStreams::Place> EventStreams::find(std::string_view id) const {
    Place place{};
    const char* end = id.data() + id.size();
    auto [dash, bad_stream] = std::from_chars(id.data(), end, place.stream);
    if (bad_stream != std::errc() || dash == end || *dash != '-') return std::nullopt;
    auto [rest, bad_number] = std::from_chars(dash + 1, end, place.position);
    if (bad_number != std::errc() || rest != end) return std::nullopt;
    auto it = streams_.find(place.stream);
    if (it == streams_.end()) {
        // The standalone stream may have been primed before anything was sent on it.
        if (place.stream == kStandalone && place.position == 0) return place;
        return std::nullopt;
    }
    const Stream& stream = it->second;
    // The events after that place must still be stored.
    std::uint64_t oldest = stream.events.empty() ? stream.next : stream.events.front().number;
    if (place.position + 1 < oldest || place.position >= stream.next) return std::nullopt;
    return place;
}

bool EventStreams::is_over(Place place) const {
    auto it = streams_.find(place.stream);
    return it != streams_.end() && it->second.finished && place.position + 1 >= it->second.next;
}

void EventStreams::close() {
    for (auto& [id, stream] : streams_) {
        if (auto reader = std::exchange(stream.reader, nullptr)) reader->end();
    }
}

// Drops the oldest finished streams first, then the oldest events of open streams.
void EventStreams::trim() {
    std::size_t finished = 0;
    for (const auto& [id, stream] : streams_) finished += stream.finished;
    for (auto it = streams_.begin();
         it != streams_.end() && (bytes_ > kMaxBytes || finished > kMaxFinished);) {
        if (!it->second.finished) {
            ++it;
            continue;
        }
        for (const Event& event : it->second.events) bytes_ -= event.message.size();
        it = streams_.erase(it);
        --finished;
    }
    for (auto& [id, stream] : streams_) {
        while (bytes_ > kMaxBytes && stream.events.size() > 1) {
            bytes_ -= stream.events.front().message.size();
            stream.events.pop_front();
        }
    }
}

}  // namespace transport
