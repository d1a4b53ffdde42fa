#include "tools/history_text.h"

#include <algorithm>

#include "store/diff.h"
#include "util/json.h"
#include "util/strings.h"

namespace tools {
namespace {

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

void append_line(std::string& text, std::string_view line) { text.append(line).append("\n"); }

void append_count(std::string& text, std::size_t indent, std::size_t count, std::string_view what) {
    if (count == 0) return;
    append_line(text, std::string(indent, ' ') + "# " + std::to_string(count) +
                          (count == 1 ? " line " : " lines ") + std::string(what));
}

}  // namespace

std::string lines_with(std::string_view snapshot, std::string_view text) {
    std::string wanted = to_lower(text), found;
    std::vector<std::string_view> parents;  // not printed yet
    for (std::string_view line : store::split_lines(snapshot)) {
        std::size_t indent = indentation(line);
        while (!parents.empty() && indentation(parents.back()) >= indent) parents.pop_back();
        if (to_lower(line).find(wanted) == std::string::npos) {
            parents.push_back(line);
            continue;
        }
        for (std::string_view parent : parents) append_line(found, parent);
        append_line(found, line);
        // Its own children may match as well; a printed line is not repeated.
        for (std::string_view& parent : parents) parent = {};
        std::erase_if(parents, [](std::string_view parent) { return parent.empty(); });
    }
    return found;
}

std::string upper_levels(std::string_view snapshot, int depth) {
    constexpr std::size_t kIndent = 2;
    std::size_t limit = static_cast<std::size_t>(std::max(depth, 1)) * kIndent, hidden = 0, at = 0;
    std::string text;
    for (std::string_view line : store::split_lines(snapshot)) {
        std::size_t indent = indentation(line);
        if (indent >= limit) {
            ++hidden;
            at = limit;
            continue;
        }
        append_count(text, at, std::exchange(hidden, 0), "below");
        append_line(text, line);
    }
    append_count(text, at, hidden, "below");
    return text;
}

std::string cut_off(std::string_view text, std::size_t max_chars) {
    if (text.size() <= max_chars) return std::string(text);
    std::size_t end = text.rfind('\n', max_chars);
    if (end == text.npos) {
        end = max_chars;
        // Do not cut within a character.
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    }
    return std::string(text.substr(0, end)) + "\n# " + std::to_string(text.size() - end) +
           " characters left out: ask for more with max_chars, or look with search_for.\n";
}

std::string console_text(const std::vector<store::ConsoleMessage>& messages) {
    std::string text;
    for (const store::ConsoleMessage& each : messages) {
        std::string level(store::to_string(each.level));
        for (char& c : level) c = static_cast<char>(c - 'a' + 'A');
        std::string line = "[" + level + "] " + each.message;
        if (!each.url.empty()) line += " @ " + each.url + ":" + std::to_string(each.line);
        append_line(text, line);
    }
    return text;
}

std::vector<RecordedPicture> result_pictures(std::string_view result_json) {
    std::vector<RecordedPicture> pictures;
    auto parsed = json::parse(result_json);
    const json::object* members = parsed ? parsed->if_object() : nullptr;
    const json::array* content = members ? json::find_array(*members, "content") : nullptr;
    for (const json::value& part : content ? *content : json::array{}) {
        const json::object* fields = part.if_object();
        auto data = fields ? json::find_string(*fields, "data") : std::nullopt;
        auto type = fields ? json::find_string(*fields, "mimeType") : std::nullopt;
        if (data && type && type->starts_with("image/"))
            pictures.push_back({std::string(*type), std::string(*data)});
    }
    return pictures;
}

std::string result_text(std::string_view result_json) {
    auto parsed = json::parse(result_json);
    const json::object* members = parsed ? parsed->if_object() : nullptr;
    const json::array* content = members ? json::find_array(*members, "content") : nullptr;
    if (!content) return std::string(result_json);
    std::string text;
    for (const json::value& part : *content) {
        const json::object* fields = part.if_object();
        if (!fields) continue;
        if (auto words = json::find_string(*fields, "text"))
            text += *words;
        else
            text += "[" + std::string(json::find_string(*fields, "type").value_or("content")) + "]";
        text += '\n';
    }
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace tools
