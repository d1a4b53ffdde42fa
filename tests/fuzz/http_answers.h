// Reads what a server sent on one connection, as a strict client would.
#pragma once

#include <charconv>
#include <string_view>

#include "tests/fuzz/input.h"

namespace fuzz {

// The value of a header, empty when it is absent.
inline std::string_view header_of(std::string_view head, std::string_view name) {
    for (std::string_view rest = head; !rest.empty();) {
        std::string_view line = take_until(rest, "\r\n");
        if (take_until(line, ": ") == name) return line;
    }
    return {};
}

// Takes a chunked body off; false when it is not all there.
inline bool take_chunked_body(std::string_view& bytes) {
    for (;;) {
        if (bytes.find("\r\n") == std::string_view::npos) return false;
        std::string_view line = take_until(bytes, "\r\n");
        std::size_t length = 0;
        auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length, 16);
        require(error == std::errc() && end == line.data() + line.size(), "a chunk begins with its length",
                line);
        if (bytes.size() < length + 2) return false;
        require(bytes.substr(length, 2) == "\r\n", "a chunk ends with its line", bytes);
        bytes.remove_prefix(length + 2);
        if (length == 0) return true;
    }
}

// Every byte belongs to a whole answer; only the last one may be cut short. Switching protocols ends the
// check.
inline void check_http_answers(std::string_view bytes) {
    std::string_view all = bytes;
    while (!bytes.empty()) {
        require(bytes.starts_with("HTTP/1.1 ") || std::string_view("HTTP/1.1 ").starts_with(bytes),
                "an answer begins with HTTP/1.1", all);
        if (bytes.find("\r\n\r\n") == std::string_view::npos) return;
        std::string_view head = take_until(bytes, "\r\n\r\n");
        std::string_view status = head.substr(9, 3);
        if (status == "101") return;
        if (status == "100" || status == "204") continue;
        if (header_of(head, "Transfer-Encoding") == "chunked") {
            if (!take_chunked_body(bytes)) return;
            continue;
        }
        std::string_view length = header_of(head, "Content-Length");
        if (length.empty()) {
            require(header_of(head, "Connection") == "close",
                    "an answer without a length ends the connection", all);
            return;
        }
        std::size_t size = 0;
        auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), size);
        require(error == std::errc() && end == length.data() + length.size(), "a length is a number", all);
        if (bytes.size() < size) return;
        bytes.remove_prefix(size);
    }
}

}  // namespace fuzz
