#include "tools/tool.h"

namespace tools {

ToolResult ToolResult::from(const Error& error) {
    std::string text = "### Error\n" + error.message;
    if (!error.hint.empty()) text += "\n" + error.hint;
    ToolResult result = ToolResult::error(std::move(text));
    result.own_words = is_own(error);
    return result;
}

bool is_own(const Error& error) {
    return error.code == ErrorCode::PolicyDenied || error.code == ErrorCode::ResourceExhausted;
}

ToolResult invalid_arguments(std::string_view tool, const Error& error) {
    return ToolResult::error("### Error\nInvalid arguments for tool \"" + std::string(tool) + "\":\n" +
                             error.message);
}

}  // namespace tools
