// The whole set of tools, in one place.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/browser_tools.h"
#include "tools/history.h"
#include "tools/registry.h"
#include "tools/session_param.h"
#include "tools/sessions.h"

namespace tools {

// The parts of the program that the tools need.
struct CatalogContext {
    std::function<json::value()> effective_config = {};
    SessionResolver sessions = {};
    RunPlaywrightCode run_playwright_code = {};  // empty: the tool says what to install
    SessionCatalog session_catalog = {};         // without sessions: none can be named
    SessionParamOptions session_param = {};
    HistoryCatalog history = {};  // without a store: nothing can be read back
};

// Registers the tools of the default set and of the capabilities that are on.
void register_tools(Registry& registry, const std::vector<std::string>& capabilities,
                    const CatalogContext& context);

// All tools, enabled or not; for docs/tools.md.
std::vector<Tool> all_tools(const CatalogContext& context);

}  // namespace tools
