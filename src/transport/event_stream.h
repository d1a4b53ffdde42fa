// Server-sent events, and the memory that lets a client take up a broken stream where it lost it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "transport/http.h"

namespace transport {

inline constexpr std::string_view kHeartbeat = ": keepalive\n\n";

// The headers of an event stream; `more` is added to them.
Headers event_stream_headers(Headers more = {});
// One event. An empty id or name is left out; data must be one line.
std::string format_event(std::string_view name, std::string_view id, std::string_view data);
// An event without content that tells the client its place and how long to wait before it comes back.
std::string priming_event(std::string_view id, int retry_milliseconds);

// The event streams of one legacy session: what was sent on each, for as long as memory allows, and who reads
// it now.
class EventStreams {
public:
    using StreamId = std::uint64_t;
    // Messages that belong to no request.
    static constexpr StreamId kStandalone = 0;
    static constexpr std::size_t kMaxBytes = 4 << 20;
    static constexpr std::size_t kMaxFinished = 32;

    // Opens a stream for one request.
    StreamId open() { return ++last_; }
    // Appends a message; a reader gets it at once, others when they come.
    void append(StreamId stream, std::string_view message);
    // No more will come; the reader's answer ends.
    void finish(StreamId stream);
    // Lets the reader of a stream go; the stream lives on for the one who comes back.
    void release_reader(StreamId stream);

    // Makes `exchange`, whose stream has begun, the reader of `stream` and sends it what came after
    // `position`.
    void attach(StreamId stream, std::uint64_t position, std::shared_ptr<HttpExchange> exchange);
    bool has_reader(StreamId stream) const;
    bool has_readers() const;
    // The last event that any reader of the stream was sent.
    std::uint64_t delivered(StreamId stream) const;
    static std::string event_id(StreamId stream, std::uint64_t number);

    struct Place {
        StreamId stream;
        std::uint64_t position;
    };
    // Where a Last-Event-ID points; nothing when that is no longer remembered.
    std::optional<Place> find(std::string_view event_id) const;

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
