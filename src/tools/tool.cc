#include "tools/tool.h"

namespace tools {

ToolResult ToolResult::from(const Error& error) {
    std::string text = "### Error\n" + error.message;
    if (!error.hint.empty()) text += "\n" + error.hint;
    return ToolResult::error(std::move(text));
}

ToolResult invalid_arguments(std::string_view tool, const Error& error) {
    return ToolResult::error("### Error\nInvalid arguments for tool \"" + std::string(tool) + "\":\n" +
                             error.message);
}

}  // namespace tools
