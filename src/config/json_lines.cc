#include "config/json_lines.h"

#include <algorithm>
#include <cstddef>

namespace config {

namespace {

// Walks a JSON text that the parser has accepted.
class Walker {
public:
    explicit Walker(std::string_view text) : text_(text) {}

    int line_of(std::string_view path) {
        skip_spaces();
        if (peek() != '{') return 0;
        ++at_;
        for (;;) {
            skip_spaces();
            if (peek() != '"') return 0;
            std::size_t start = at_;
            std::string_view key = take_string();
            skip_spaces();
            ++at_;  // the colon
            if (key == path) return line(start);
            if (path.starts_with(key) && path.substr(key.size()).starts_with('.')) {
                return line_of(path.substr(key.size() + 1));
            }
            skip_value();
            skip_spaces();
            if (peek() != ',') return 0;
            ++at_;
        }
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_spaces() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }

    std::string_view take_string() {
        std::size_t start = ++at_;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        std::size_t end = std::min(at_++, text_.size());
        return text_.substr(start, end - start);
    }

    void skip_value() {
        int depth = 0;
        for (; at_ < text_.size(); ++at_) {
            char c = text_[at_];
            if (c == '"') {
                take_string();
                --at_;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (depth > 0 && (c == '}' || c == ']')) {
                --depth;
            } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
                return;
            }
        }
    }

    int line(std::size_t position) const {
        return 1 + static_cast<int>(std::ranges::count(text_.substr(0, position), '\n'));
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

int line_of_key(std::string_view json_text, std::string_view path) { return Walker(json_text).line_of(path); }

}  // namespace config
