#include "transport/sse_parser.h"

#include <algorithm>
#include <charconv>

namespace transport {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A week: far more than any server asks for, and far from any overflow.
constexpr long kMaxRetry = 7L * 24 * 60 * 60 * 1000;

// Finds the line ends of a piece, searching each byte only once for each kind of line end.
class LineEnds {
public:
    explicit LineEnds(std::string_view bytes)
        : bytes_(bytes), line_feed_(bytes.find('\n')), carriage_return_(bytes.find('\r')) {}

    // Returns the first line end from `at` on; `at` must not decrease between calls.
    std::size_t next(std::size_t at) {
        if (line_feed_ < at) line_feed_ = bytes_.find('\n', at);
        if (carriage_return_ < at) carriage_return_ = bytes_.find('\r', at);
        return std::min(line_feed_, carriage_return_);
    }

private:
    std::string_view bytes_;
    std::size_t line_feed_;
    std::size_t carriage_return_;
};

}  // namespace

Result<void> SseParser::feed(std::string_view bytes, std::vector<SseEvent>& events) {
    LineEnds ends(bytes);
    for (std::size_t at = 0; !failed_ && at < bytes.size();) {
        if (std::exchange(skip_line_feed_, false) && bytes[at] == '\n') {
            ++at;
            continue;
        }
        std::size_t end = ends.next(at);
        std::string_view piece = bytes.substr(at, end - at);
        // Checked before storing anything, so that memory stays within the limit.
        if (piece.size() > max_event_ - std::min(max_event_, buffered())) {
            failed_ = true;
        } else if (end == std::string_view::npos) {
            line_ += piece;
            break;
        } else {
            skip_line_feed_ = bytes[end] == '\r';
            at = end + 1;
            if (!line_.empty()) piece = line_ += piece;
            take_line(piece, events);
            line_.clear();
        }
    }
    if (!failed_) return ok();
    return Error{
        .code = ErrorCode::ResourceExhausted,
        .message = "An event of the stream is larger than " + std::to_string(max_event_) + " bytes."};
}

void SseParser::take_line(std::string_view line, std::vector<SseEvent>& events) {
    if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark))
        line.remove_prefix(kByteOrderMark.size());
    if (line.empty()) return dispatch(events);
    std::size_t colon = line.find(':');
    if (colon == 0) return;  // a comment
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
}

void SseParser::take_field(std::string_view name, std::string_view value) {
    if (name == "data") {
        if (has_data_) data_ += '\n';
        data_ += value;
        has_data_ = true;
    } else if (name == "event") {
        type_ = value;
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) id_ = value;
    } else if (name == "retry") {
        long span = 0;
        auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), span);
        bool only_digits = !value.empty() && std::all_of(value.begin(), value.end(),
                                                         [](char c) { return c >= '0' && c <= '9'; });
        if (only_digits)
            retry_ = std::chrono::milliseconds(error == std::errc() ? std::min(span, kMaxRetry) : kMaxRetry);
    }
}

void SseParser::dispatch(std::vector<SseEvent>& events) {
    // An id applies from here on, also without data; it stays the id of the events after it.
    last_event_id_ = id_;
    std::string type = std::exchange(type_, {});
    if (!std::exchange(has_data_, false)) return;
    events.push_back({.type = type.empty() ? "message" : std::move(type), .data = std::exchange(data_, {})});
}

}  // namespace transport
