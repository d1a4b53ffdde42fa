#include "tests/fuzz/strict_request.h"

#include <algorithm>
#include <charconv>

namespace fuzz {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool is_token(std::string_view text) {
    auto fits = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("!#$%&'*+-.^_`|~").contains(c);
    };
    return !text.empty() && std::ranges::all_of(text, fits);
}

std::string_view without_spaces(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return small;
}

// A line without its end; nothing when it has none yet, or holds half a line break.
std::optional<std::string_view> take_line(std::string_view& bytes) {
    std::size_t end = bytes.find(kLineEnd);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + kLineEnd.size());
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) return std::nullopt;
    return line;
}

std::optional<std::size_t> number(std::string_view text, int base) {
    std::size_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool take_request_line(std::string_view& bytes, StrictRequest& request) {
    auto line = take_line(bytes);
    if (!line) return false;
    std::size_t first = line->find(' '), last = line->rfind(' ');
    if (first == std::string_view::npos || last <= first) return false;
    request.method = line->substr(0, first);
    request.target = line->substr(first + 1, last - first - 1);
    std::string_view version = line->substr(last + 1);
    return is_token(request.method) && !request.target.empty() && !request.target.contains(' ') &&
           (version == "HTTP/1.1" || version == "HTTP/1.0");
}

bool take_fields(std::string_view& bytes, StrictRequest& request) {
    for (;;) {
        auto line = take_line(bytes);
        if (!line) return false;
        if (line->empty()) return true;
        // A line that goes on: a server may refuse it or read a space for the break.
        if (line->front() == ' ' || line->front() == '\t') {
            if (request.fields.empty()) return false;
            std::string& value = request.fields.back().second;
            std::string_view more = without_spaces(*line);
            if (!value.empty() && !more.empty()) value += ' ';
            value += more;
            continue;
        }
        std::size_t colon = line->find(':');
        if (colon == std::string_view::npos || !is_token(line->substr(0, colon))) return false;
        request.fields.emplace_back(in_small_letters(line->substr(0, colon)),
                                    without_spaces(line->substr(colon + 1)));
    }
}

bool take_chunks(std::string_view& bytes, StrictRequest& request) {
    for (;;) {
        auto line = take_line(bytes);
        if (!line) return false;
        auto length = number(without_spaces(line->substr(0, line->find(';'))), 16);
        if (!length) return false;
        if (*length == 0) break;
        if (bytes.size() < *length || bytes.substr(*length, 2) != kLineEnd) return false;
        request.body += bytes.substr(0, *length);
        bytes.remove_prefix(*length + 2);
    }
    StrictRequest trailers;
    return take_fields(bytes, trailers);
}

}  // namespace

std::vector<std::string> StrictRequest::values(std::string_view name) const {
    std::vector<std::string> found;
    for (const auto& [each, value] : fields)
        if (each == name) found.push_back(value);
    return found;
}

std::optional<StrictRequest> take_request(std::string_view& bytes) {
    StrictRequest request;
    // Empty lines before a request are for old clients' sake.
    while (bytes.starts_with(kLineEnd)) bytes.remove_prefix(kLineEnd.size());
    if (!take_request_line(bytes, request) || !take_fields(bytes, request)) return std::nullopt;
    auto lengths = request.values("content-length"), encodings = request.values("transfer-encoding");
    if (lengths.size() > 1 || encodings.size() > 1 || lengths.size() + encodings.size() > 1)
        return std::nullopt;
    if (!encodings.empty()) {
        if (in_small_letters(encodings[0]) != "chunked" || !take_chunks(bytes, request)) return std::nullopt;
    } else if (!lengths.empty()) {
        auto length = number(lengths[0], 10);
        if (!length || bytes.size() < *length) return std::nullopt;
        request.body = bytes.substr(0, *length);
        bytes.remove_prefix(*length);
    }
    return request;
}

TolerantHead read_tolerantly(std::string_view bytes) {
    TolerantHead head;
    while (!bytes.empty()) {
        std::size_t end = bytes.find_first_of("\r\n");
        std::string_view line = bytes.substr(0, end);
        if (end == std::string_view::npos) {
            head.lines.emplace_back(line);
            return head;
        }
        bytes.remove_prefix(end + (bytes.substr(end, 2) == kLineEnd ? 2 : 1));
        if (line.empty()) break;
        head.lines.emplace_back(line);
    }
    head.rest = bytes;
    return head;
}

}  // namespace fuzz
