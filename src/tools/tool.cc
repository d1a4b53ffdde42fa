#include "tools/tool.h"

#include <algorithm>

#include "tools/error_answer.h"
#include "util/strings.h"

namespace tools {

ToolResult ToolResult::from(const Error& error) {
    std::string text = "### Error\n" + error.message;
    if (!error.hint.empty()) text += "\n" + error.hint;
    ToolResult result = ToolResult::error(std::move(text));
    result.trusted = is_own(error);
    return result;
}

bool is_own(const Error& error) {
    return error.code == ErrorCode::PolicyDenied || error.code == ErrorCode::ResourceExhausted;
}

ToolResult invalid_arguments(std::string_view tool, const Error& error) {
    return ToolResult::error("### Error\nInvalid arguments for tool \"" + std::string(tool) + "\":\n" +
                             error.message + (error.hint.empty() ? "" : "\n" + error.hint));
}

ToolResult refuse_arguments(const Error& error) {
    Error refused = error;
    // Puts the problem and its place on one line.
    replace_all(refused.message, "\n  → at ", " at ");
    replace_all(refused.message, "\n✖ ", "; ");
    replace_all(refused.message, "✖ ", "");
    if (refused.hint.empty()) refused.hint = "The tool's input schema says what is allowed.";
    return structured(refused);
}

void note_ignored(ToolResult& result, const std::vector<std::string>& ignored) {
    constexpr std::size_t kMaxShown = 10;
    if (ignored.empty()) return;
    std::string note = "### Arguments";
    for (std::size_t i = 0; i < std::min(ignored.size(), kMaxShown); ++i) note += "\n- " + ignored[i];
    if (ignored.size() > kMaxShown)
        note += "\n- … and " + std::to_string(ignored.size() - kMaxShown) + " more";
    for (Content& content : result.content) {
        auto* text = std::get_if<Text>(&content);
        if (!text) continue;
        text->text += "\n" + note;
        return;
    }
    result.content.insert(result.content.begin(), Text{std::move(note)});
}

void note_foreign(ToolResult& result, std::vector<std::string> foreign) {
    if (foreign.empty() || !result.structured || !result.structured->is_object()) return;
    std::string before = json::serialize(*result.structured);
    std::ranges::sort(foreign);
    json::array names(foreign.begin(), foreign.end());
    result.structured->as_object()["ignoredArguments"] = std::move(names);
    for (Content& content : result.content) {
        auto* text = std::get_if<Text>(&content);
        if (text && text->text == before) text->text = json::serialize(*result.structured);
    }
}

}  // namespace tools
