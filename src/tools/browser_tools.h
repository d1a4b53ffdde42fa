// The tools of browsers, one function for each file that declares some.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/tab_tool.h"

namespace tools {

struct HistoryCatalog;
struct SessionCatalog;

// Runs a function of Playwright's `page` against a tab and gives its value as JSON, nothing for undefined.
using RunPlaywrightCode =
    std::function<Task<std::optional<std::string>>(Tab& tab, std::string code, Deadline deadline)>;

std::vector<Tool> common_tools(const SessionResolver& sessions);
std::vector<Tool> config_tools(std::function<json::value()> effective_config);
std::vector<Tool> console_tools(const SessionResolver& sessions);
std::vector<Tool> cookie_tools(const SessionResolver& sessions);
std::vector<Tool> dialog_tools(const SessionResolver& sessions);
std::vector<Tool> evaluate_tools(const SessionResolver& sessions);
std::vector<Tool> file_tools(const SessionResolver& sessions);
std::vector<Tool> find_tools(const SessionResolver& sessions);
std::vector<Tool> form_tools(const SessionResolver& sessions);
std::vector<Tool> highlight_tools(const SessionResolver& sessions);
std::vector<Tool> input_tools(const SessionResolver& sessions);
std::vector<Tool> keyboard_tools(const SessionResolver& sessions);
std::vector<Tool> mouse_tools(const SessionResolver& sessions);
std::vector<Tool> navigate_tools(const SessionResolver& sessions);
std::vector<Tool> network_tools(const SessionResolver& sessions);
std::vector<Tool> pdf_tools(const SessionResolver& sessions);
std::vector<Tool> recording_tools(const SessionResolver& sessions);
std::vector<Tool> route_tools(const SessionResolver& sessions);
std::vector<Tool> run_code_tools(const SessionResolver& sessions, const RunPlaywrightCode& run);
std::vector<Tool> screenshot_tools(const SessionResolver& sessions);
std::vector<Tool> snapshot_tools(const SessionResolver& sessions);
std::vector<Tool> storage_state_tools(const SessionResolver& sessions);
std::vector<Tool> tab_tools(const SessionResolver& sessions);
// browser_tabs for servers that name tabs by id: has actions to share tabs.
Tool sharing_tabs_tool(const SessionResolver& sessions, const SessionCatalog& named);
// The capability `toolkit`, in the order of docs/tools.md.
std::vector<Tool> toolkit_navigation_tools(const SessionResolver& sessions);
std::vector<Tool> toolkit_interaction_tools(const SessionResolver& sessions);
std::vector<Tool> toolkit_extraction_tools(const SessionResolver& sessions);
std::vector<Tool> toolkit_picture_tools(const SessionResolver& sessions);
std::vector<Tool> compare_tools(const SessionResolver& sessions, const HistoryCatalog& history);
std::vector<Tool> toolkit_element_tools(const SessionResolver& sessions);
std::vector<Tool> toolkit_network_tools(const SessionResolver& sessions);
std::vector<Tool> tracing_tools(const SessionResolver& sessions);
std::vector<Tool> verify_tools(const SessionResolver& sessions);
std::vector<Tool> video_tools(const SessionResolver& sessions);
std::vector<Tool> wait_tools(const SessionResolver& sessions);
std::vector<Tool> web_storage_tools(const SessionResolver& sessions);

}  // namespace tools
