// The whole set of tools, in one place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/history.h"
#include "tools/page_tool.h"
#include "tools/registry.h"
#include "tools/session_param.h"
#include "tools/sessions.h"

namespace tools {

// Runs a function of Playwright's `page` against a tab and gives its value as JSON, nothing for undefined.
using RunPlaywrightCode =
    std::function<Task<std::optional<std::string>>(Tab& tab, std::string code, Deadline deadline)>;

// What the product's tools need from the rest of the program.
struct CatalogContext {
    std::function<json::value()> effective_config = {};
    Sessions sessions = {};
    RunPlaywrightCode run_playwright_code = {};  // empty: the tool says what to install
    SessionCatalog named_sessions = {};          // without sessions: none can be named
    SessionParamOptions session_param = {};
    HistoryCatalog history = {};  // without a store: nothing can be read back
};

// Registers the tools of the default set and of the capabilities that are on.
void register_tools(Registry& registry, const std::vector<std::string>& capabilities,
                    const CatalogContext& context);

// Every tool there is, whatever is on; for docs/tools.md.
std::vector<Tool> all_tools(const CatalogContext& context);

std::vector<Tool> common_tools(const Sessions& sessions);
std::vector<Tool> config_tools(std::function<json::value()> effective_config);
std::vector<Tool> console_tools(const Sessions& sessions);
std::vector<Tool> cookie_tools(const Sessions& sessions);
std::vector<Tool> dialog_tools(const Sessions& sessions);
std::vector<Tool> evaluate_tools(const Sessions& sessions);
std::vector<Tool> file_tools(const Sessions& sessions);
std::vector<Tool> find_tools(const Sessions& sessions);
std::vector<Tool> form_tools(const Sessions& sessions);
std::vector<Tool> highlight_tools(const Sessions& sessions);
std::vector<Tool> input_tools(const Sessions& sessions);
std::vector<Tool> keyboard_tools(const Sessions& sessions);
std::vector<Tool> mouse_tools(const Sessions& sessions);
std::vector<Tool> navigate_tools(const Sessions& sessions);
std::vector<Tool> network_tools(const Sessions& sessions);
std::vector<Tool> pdf_tools(const Sessions& sessions);
std::vector<Tool> recording_tools(const Sessions& sessions);
std::vector<Tool> route_tools(const Sessions& sessions);
std::vector<Tool> run_code_tools(const Sessions& sessions, const RunPlaywrightCode& run);
std::vector<Tool> screenshot_tools(const Sessions& sessions);
std::vector<Tool> snapshot_tools(const Sessions& sessions);
std::vector<Tool> storage_state_tools(const Sessions& sessions);
std::vector<Tool> tab_tools(const Sessions& sessions);
// browser_tabs for servers that name tabs by id: with actions to share them.
Tool sharing_tabs_tool(const Sessions& sessions, const SessionCatalog& named);
// The capability `toolkit`, in the order of docs/tools.md.
std::vector<Tool> toolkit_navigation_tools(const Sessions& sessions);
std::vector<Tool> toolkit_interaction_tools(const Sessions& sessions);
std::vector<Tool> toolkit_extraction_tools(const Sessions& sessions);
std::vector<Tool> toolkit_picture_tools(const Sessions& sessions);
std::vector<Tool> compare_tools(const Sessions& sessions, const HistoryCatalog& history);
std::vector<Tool> toolkit_element_tools(const Sessions& sessions);
std::vector<Tool> toolkit_network_tools(const Sessions& sessions);
std::vector<Tool> tracing_tools(const Sessions& sessions);
std::vector<Tool> verify_tools(const Sessions& sessions);
std::vector<Tool> video_tools(const Sessions& sessions);
std::vector<Tool> wait_tools(const Sessions& sessions);
std::vector<Tool> web_storage_tools(const Sessions& sessions);

}  // namespace tools
