// Renders the registry's entries as protocol JSON.
#pragma once

#include <string>
#include <string_view>

#include "tools/registry.h"

namespace mcp {

// Builds one JSON object, member by member. `raw` members are JSON texts already.
class ObjectWriter {
public:
    ObjectWriter() : text_("{") {}
    ObjectWriter& string(std::string_view key, std::string_view value);
    // Leaves the member out when the value is empty.
    ObjectWriter& optional_string(std::string_view key, std::string_view value);
    ObjectWriter& boolean(std::string_view key, bool value);
    ObjectWriter& raw(std::string_view key, std::string_view json_text);
    // Returns the whole object; the writer is used up afterwards.
    std::string finish() {
        text_ += '}';
        return std::move(text_);
    }

private:
    void key(std::string_view name);
    std::string text_;
};

// A tool as one caller sees it.
struct ListedTool {
    const tools::Tool* tool;
    const tools::Caller* caller;
};
std::string render(const ListedTool& tool);
std::string render(const tools::Prompt& prompt);
std::string render(const tools::Resource& resource);
std::string render(const tools::ResourceTemplate& resource_template);
std::string render(const tools::Content& content);
std::string render(const tools::ResourceContents& contents);
std::string render(const tools::PromptMessage& message);

// Renders a list as "[a,b]", calling `render` for each element.
template <class List>
std::string render_list(const List& list) {
    std::string text = "[";
    for (const auto& item : list) {
        if (text.size() > 1) text += ',';
        text += render(item);
    }
    return text + "]";
}

}  // namespace mcp
