#include "daemon/message_scan.h"

#include <algorithm>

#include "util/json.h"

namespace daemons {
namespace {

// Walks JSON text. At the end of the text, and on invalid JSON, every function returns nothing.
class Walker {
public:
    explicit Walker(std::string_view text) : text_(text) {}

    char peek() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char expected) {
        if (peek() != expected) return false;
        ++at_;
        return true;
    }

    // The next value as written, quotes and brackets included.
    std::string_view value() {
        peek();
        std::size_t begin = at_;
        int depth = 0;
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (c == '"') {
                skip_string();
            } else if (c == '{' || c == '[') {
                ++depth;
                ++at_;
            } else if (c == '}' || c == ']') {
                if (depth == 0) break;  // the end of the enclosing value
                --depth;
                ++at_;
            } else if (depth == 0 && (c == ',' || c == ':' || is_space(c))) {
                break;
            } else {
                ++at_;
                continue;
            }
            if (depth == 0) break;
        }
        return text_.substr(begin, at_ - begin);
    }

private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

    void skip_string() {
        for (++at_; at_ < text_.size(); ++at_) {
            at_ = std::min(text_.find_first_of("\"\\", at_), text_.size());
            if (at_ == text_.size()) return;
            if (text_[at_] == '\\') {
                ++at_;
                continue;
            }
            ++at_;
            return;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::string_view unquoted(std::string_view value) {
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') return {};
    return value.substr(1, value.size() - 2);
}

// Returns false when the rest need not be read.
bool scan_object(Walker& walker, Extent extent, Scanned& message) {
    while (walker.peek() == '"') {
        std::string_view key = unquoted(walker.value());
        if (!walker.take(':')) return false;
        bool answers = key == "result" || key == "error";
        if (answers && extent == Extent::UpToResult && !message.id.empty()) return false;
        std::string_view value = walker.value();
        if (key == "id" && value != "null") message.id = value;
        if (key == "method") message.method = unquoted(value);
        if (key == "params") message.params = value;
        if (!walker.take(',')) break;
    }
    return walker.take('}');
}

}  // namespace

void scan(std::string_view line, Extent extent, const std::function<void(const Scanned&)>& found) {
    Walker walker(line);
    bool batch = walker.take('[');
    if (batch) extent = Extent::Whole;
    while (walker.take('{')) {
        Scanned message;
        bool more = scan_object(walker, extent, message);
        found(message);
        if (!more || !batch || !walker.take(',')) return;
    }
}

std::string canonical_id(std::string_view id) {
    bool text = id.starts_with('"');
    bool plain = std::ranges::all_of(id, [text](char c) {
        return text ? c >= ' ' && c < 0x7F && c != '\\' : (c >= '0' && c <= '9') || c == '-';
    });
    if (plain) return std::string(id);
    auto parsed = json::parse(id);
    if (!parsed) return std::string(id);
    if (auto integer = json::as_integer(*parsed)) return std::to_string(*integer);
    return json::serialize(*parsed);
}

}  // namespace daemons
