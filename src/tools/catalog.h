// The whole set of tools, in one place.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/registry.h"

namespace tools {

// What the product's tools need from the rest of the program.
struct CatalogContext {
    std::function<json::value()> effective_config;
};

// Registers the tools of the default set and of the capabilities that are on.
void register_tools(Registry& registry, const std::vector<std::string>& capabilities,
                    const CatalogContext& context);

// Every tool there is, whatever is on; for docs/tools.md.
std::vector<Tool> all_tools(const CatalogContext& context);

std::vector<Tool> config_tools(std::function<json::value()> effective_config);

}  // namespace tools
