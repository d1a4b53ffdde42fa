// Server-sent events, and the buffer that lets a client resume a broken stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "transport/http.h"

namespace transport {

// Time until an unfinished answer becomes a stream, whose heartbeat shows that the server is alive.
inline constexpr std::chrono::seconds kSlowAnswer{2};
inline constexpr std::string_view kHeartbeat = ": keepalive\n\n";

// The headers of an event stream, with `more` added.
Headers event_stream_headers(Headers more = {});
// Formats one event. An empty id or name is left out; data must be one line.
std::string format_event(std::string_view name, std::string_view id, std::string_view data);
// An event without content that gives the client its position and the delay before it reconnects.
std::string priming_event(std::string_view id, int retry_milliseconds);

// The event streams of one legacy session: the messages sent on each, as long as memory allows, and its
// current reader.
class EventStreams {
public:
    using StreamId = std::uint64_t;
    // The stream for messages that belong to no request.
    static constexpr StreamId kStandalone = 0;
    static constexpr std::size_t kMaxBytes = 4 << 20;
    static constexpr std::size_t kMaxFinished = 32;

    // Opens a stream for one request.
    StreamId open() { return ++last_; }
    // Appends a message; a connected reader gets it at once, others when they connect.
    void append(StreamId stream, std::string_view message);
    // Marks the stream as complete; the reader's answer ends.
    void finish(StreamId stream);
    // Ends the answer of the stream's reader; the stream stays for a client that reconnects.
    void release_reader(StreamId stream);

    // Makes `exchange`, whose stream has begun, the reader of `stream` and sends it the events after
    // `position`.
    void attach(StreamId stream, std::uint64_t position, std::shared_ptr<HttpExchange> exchange);
    bool has_reader(StreamId stream) const;
    bool has_readers() const;
    // The number of the last event sent to any reader of the stream.
    std::uint64_t delivered(StreamId stream) const;
    static std::string event_id(StreamId stream, std::uint64_t number);

    struct Place {
        StreamId stream;
        std::uint64_t position;
    };
    // The place of a Last-Event-ID; nothing when it is no longer stored.
    std::optional<Place> find(std::string_view event_id) const;

    // Whether no event came after that place and none will.
    bool is_over(Place place) const;

    // Ends all readers' answers.
    void close();

private:
    struct Event {
        std::uint64_t number;
        std::string message;
    };
    struct Stream {
        std::deque<Event> events;
        std::uint64_t next = 1;
        std::uint64_t delivered = 0;
        bool finished = false;
        std::shared_ptr<HttpExchange> reader;
    };

    void trim();

    std::map<StreamId, Stream> streams_;
    StreamId last_ = kStandalone;
    std::size_t bytes_ = 0;
};

}  // namespace transport
