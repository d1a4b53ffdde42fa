#include "util/shorten.h"

std::string_view beginning(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    while (max_bytes > 0 && is_inside(text[max_bytes])) --max_bytes;
    return text.substr(0, max_bytes);
}

std::string shortened(std::string text, std::size_t max_bytes) {
    std::size_t kept = beginning(text, max_bytes).size();
    if (kept == text.size()) return text;
    std::string more = "... (" + std::to_string(text.size() - kept) + " more bytes)";
    text.resize(kept);
    return text + more;
}
