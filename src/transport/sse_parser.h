// Reads a stream of server-sent events (text/event-stream, WHATWG HTML section 9.2).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace transport {

struct SseEvent {
    std::string type;  // "message" unless the stream names another
    std::string data;

    bool operator==(const SseEvent&) const = default;
};

// Parses the bytes of one stream in pieces of any size.
class SseParser {
public:
    static constexpr std::size_t kDefaultMaxEvent = 64 * 1024 * 1024;

    explicit SseParser(std::size_t max_event = kDefaultMaxEvent) : max_event_(max_event) {}

    // Appends the events that `bytes` complete. An event over the limit is an error, which stays; the events
    // before it are still appended.
    Result<void> feed(std::string_view bytes, std::vector<SseEvent>& events);

    // The position to resume the stream from; empty when it gave no id.
    const std::string& last_event_id() const { return last_event_id_; }
    // The server's requested delay before a client reconnects.
    std::optional<std::chrono::milliseconds> retry() const { return retry_; }

private:
    void take_line(std::string_view line, std::vector<SseEvent>& events);
    void take_field(std::string_view name, std::string_view value);
    void dispatch(std::vector<SseEvent>& events);
    std::size_t buffered() const { return line_.size() + type_.size() + data_.size() + id_.size(); }

    std::size_t max_event_;
    bool at_start_ = true;         // a byte order mark may still come
    bool skip_line_feed_ = false;  // the last byte was a carriage return
    bool failed_ = false;
    std::string line_;  // the line so far
    std::string type_;
    std::string data_;
    std::string id_;
    bool has_data_ = false;
    std::string last_event_id_;
    std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace transport
