#include "schema/messages.h"

#include <algorithm>

#include "schema/validator.h"
#include "util/strings.h"

namespace schema {
namespace {

constexpr std::size_t kMaxShown = 10;
constexpr std::size_t kMaxOptions = 50;
constexpr std::size_t kMaxText = 200;

bool is_plain_word(std::string_view key) {
    auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '$';
    };
    return !key.empty() && std::all_of(key.begin(), key.end(), plain);
}

}  // namespace

std::string shortened(std::string text) {
    if (text.size() <= kMaxText) return text;
    std::size_t end = kMaxText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // a whole character
    return text.substr(0, end) + "…";
}

std::string to_string(const Path& path) {
    std::vector<const Path*> steps;
    for (const Path* step = &path; step->parent; step = step->parent) steps.push_back(step);
    std::string text;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if ((*step)->is_index) {
            text += "[" + std::to_string((*step)->index) + "]";
        } else if (is_plain_word((*step)->key)) {
            if (!text.empty()) text += '.';
            text += shortened(std::string((*step)->key));
        } else {
            text += "[" + quoted_text((*step)->key) + "]";
        }
    }
    return text;
}

std::string_view received(const json::value& value) {
    return value.is_number() ? "number" : json::type_name(value);
}

std::vector<std::string> type_names(Types types) {
    std::vector<std::string> names;
    if (types & kString) names.emplace_back("string");
    if (types & kFraction) names.emplace_back("number");
    if ((types & kNumber) == kInteger) names.emplace_back("integer");
    if (types & kBoolean) names.emplace_back("boolean");
    if (types & kArray) names.emplace_back("array");
    if (types & kObject) names.emplace_back("object");
    if (types & kNull) names.emplace_back("null");
    return names;
}

std::string join_with_or(const std::vector<std::string>& names) {
    if (names.size() < 2) return names.empty() ? "never" : names.front();
    return join({names.begin(), names.end() - 1}, ", ") + " or " + names.back();
}

std::string join_options(const std::vector<const json::value*>& options) {
    std::vector<std::string> texts;
    for (const json::value* option : options) {
        if (texts.size() == kMaxOptions) {
            texts.emplace_back("…");
            break;
        }
        texts.push_back(quoted(*option));
    }
    return join(texts, "|");
}

std::string wrong_option(const std::vector<const json::value*>& options) {
    if (options.size() == 1) return "Invalid input: expected " + quoted(*options.front());
    return "Invalid option: expected one of " + join_options(options);
}

std::string quoted(const json::value& value) { return shortened(json::serialize(value)); }

std::string quoted_text(std::string_view text) {
    std::string out;
    json::append_string(out, text.substr(0, kMaxText * 2));
    return shortened(std::move(out));
}

std::string describe(const std::vector<Violation>& violations) {
    std::vector<std::string> lines;
    for (const Violation& violation : violations) {
        if (lines.size() == kMaxShown) {
            lines.push_back("… and " + std::to_string(violations.size() - kMaxShown) + " more");
            break;
        }
        lines.push_back("✖ " + violation.message +
                        (violation.path.empty() ? "" : "\n  → at " + violation.path));
    }
    return join(lines, "\n");
}

}  // namespace schema
