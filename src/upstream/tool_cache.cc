#include "upstream/tool_cache.h"

#include "util/files.h"

namespace upstream {

std::optional<std::vector<json::object>> read_tool_list(const std::filesystem::path& file) {
    auto text = read_file(file);
    auto parsed = text ? json::parse(*text) : Result<json::value>(text.error());
    const json::array* list = parsed ? parsed->if_array() : nullptr;
    if (!list) return std::nullopt;
    std::vector<json::object> tools;
    for (const json::value& tool : *list) {
        if (!tool.is_object()) return std::nullopt;
        tools.push_back(tool.get_object());
    }
    return tools;
}

void write_tool_list(const std::filesystem::path& file, const std::vector<json::object>& tools) {
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    json::array list;
    for (const json::object& tool : tools) list.push_back(tool);
    static_cast<void>(write_file(file, json::serialize(list)));
}

}  // namespace upstream
