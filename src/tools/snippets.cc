#include "tools/snippets.h"

#include <algorithm>
#include <locale.h>
#include <set>
#include <wctype.h>

#include "util/strings.h"

namespace tools {
namespace {

constexpr std::size_t kContext = 3;

std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

// The lines above `line` that it is nested in, outermost first.
std::vector<std::size_t> ancestors(const std::vector<std::string>& lines, std::size_t line) {
    std::vector<std::size_t> found;
    std::size_t indent = indent_of(lines[line]);
    for (std::size_t i = line; i-- > 0 && indent > 0;) {
        if (trim(lines[i]).empty() || indent_of(lines[i]) >= indent) continue;
        found.push_back(i);
        indent = indent_of(lines[i]);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

struct Window {
    std::size_t first;
    std::size_t last;
};

std::vector<Window> windows(std::size_t count, const std::vector<std::size_t>& matches) {
    std::vector<Window> windows;
    for (std::size_t match : matches) {
        std::size_t first = match - std::min(match, kContext);
        std::size_t last = std::min(count - 1, match + kContext);
        if (!windows.empty() && first <= windows.back().last + 1)
            windows.back().last = last;
        else
            windows.push_back({first, last});
    }
    return windows;
}

void append_utf8(std::string& text, char32_t point) {
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xC0 | point >> 6);
        text += static_cast<char>(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        text += static_cast<char>(0xE0 | point >> 12);
        text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (point & 0x3F));
    } else {
        text += static_cast<char>(0xF0 | point >> 18);
        text += static_cast<char>(0x80 | (point >> 12 & 0x3F));
        text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (point & 0x3F));
    }
}

}  // namespace

std::vector<std::string> snippets(const std::vector<std::string>& lines,
                                  const std::vector<std::size_t>& matches) {
    std::set<std::size_t> path(matches.begin(), matches.end());
    for (std::size_t match : matches) {
        std::vector<std::size_t> above = ancestors(lines, match);
        path.insert(above.begin(), above.end());
    }
    std::vector<std::string> texts;
    for (const Window& window : windows(lines.size(), matches)) {
        std::vector<std::size_t> shown = ancestors(lines, window.first);
        for (std::size_t i = window.first; i <= window.last; ++i) shown.push_back(i);
        std::vector<std::string> text;
        for (std::size_t i = 0; i < shown.size(); ++i) {
            bool gap = i > 0 && shown[i] > shown[i - 1] + 1;
            // A gap on the path to a match needs no "...".
            if (gap && !path.contains(shown[i]) && !path.contains(shown[i - 1])) {
                text.push_back(std::string(indent_of(lines[shown[i]]), ' ') + "...");
            }
            text.push_back(lines[shown[i]]);
        }
        texts.push_back(join(text, "\n"));
    }
    return texts;
}

std::string lowered(std::string_view text) {
    static const locale_t kUnicode = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    bool ascii =
        std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (ascii || !kUnicode) return to_lower(text);
    std::string small;
    small.reserve(text.size());
    while (!text.empty()) {
        std::size_t length = std::max<std::size_t>(utf8_sequence_length(text), 1);
        auto lead = static_cast<unsigned char>(text.front());
        if (length == 1) {
            small += lead < 0x80 ? to_lower(text.substr(0, 1)) : std::string(1, text.front());
        } else {
            char32_t point = lead & (0x7Fu >> length);
            for (std::size_t i = 1; i < length; ++i)
                point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
            append_utf8(small, static_cast<char32_t>(::towlower_l(static_cast<wint_t>(point), kUnicode)));
        }
        text.remove_prefix(length);
    }
    return small;
}

}  // namespace tools
