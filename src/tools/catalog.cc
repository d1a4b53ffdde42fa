#include "tools/catalog.h"

#include <algorithm>

namespace tools {

std::vector<Tool> all_tools(const CatalogContext& context) {
    std::vector<Tool> all;
    auto add = [&](std::vector<Tool> tools) {
        std::move(tools.begin(), tools.end(), std::back_inserter(all));
    };
    add(config_tools(context.effective_config));
    return all;
}

void register_tools(Registry& registry, const std::vector<std::string>& capabilities,
                    const CatalogContext& context) {
    for (Tool& tool : all_tools(context)) {
        bool on = tool.capability.empty() ||
                  std::find(capabilities.begin(), capabilities.end(), tool.capability) != capabilities.end();
        if (on) registry.add(std::move(tool));
    }
}

}  // namespace tools
