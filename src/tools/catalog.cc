#include "tools/catalog.h"

#include <algorithm>

#include "tools/browser_resources.h"
#include "tools/output_resources.h"
#include "tools/webmcp.h"

namespace tools {
namespace {

Task<ToolResult> say_not_found(std::string name, std::string capability) {
    co_return ToolResult::error("### Error\nTool \"" + name +
                                "\" not found\n### Hint\nIt belongs to the capability \"" + capability +
                                "\": start the server with --caps=" + capability + ".");
}

// Answers to `name` for tools whose capability is off, in the words that Playwright's users know.
Tool unavailable(std::string name, std::string capability) {
    return {.name = name, .run = [name, capability](Call) { return say_not_found(name, capability); }};
}

}  // namespace

std::vector<Tool> all_tools(const CatalogContext& context) {
    std::vector<Tool> all;
    auto add = [&](std::vector<Tool> tools) {
        std::move(tools.begin(), tools.end(), std::back_inserter(all));
    };
    add(common_tools(context.sessions));
    add(console_tools(context.sessions));
    add(dialog_tools(context.sessions));
    add(evaluate_tools(context.sessions));
    add(file_tools(context.sessions));
    add(find_tools(context.sessions));
    add(form_tools(context.sessions));
    add(input_tools(context.sessions));
    add(keyboard_tools(context.sessions));
    add(navigate_tools(context.sessions));
    add(network_tools(context.sessions));
    add(run_code_tools(context.sessions, context.run_playwright_code));
    add(screenshot_tools(context.sessions));
    add(snapshot_tools(context.sessions));
    add(tab_tools(context.sessions));
    add(wait_tools(context.sessions));
    // The tools of the capabilities.
    add(config_tools(context.effective_config));
    add(cookie_tools(context.sessions));
    add(highlight_tools(context.sessions));
    add(mouse_tools(context.sessions));
    add(pdf_tools(context.sessions));
    add(recording_tools(context.sessions));
    add(route_tools(context.sessions));
    add(storage_state_tools(context.sessions));
    add(toolkit_navigation_tools(context.sessions));
    add(toolkit_interaction_tools(context.sessions));
    add(toolkit_extraction_tools(context.sessions));
    add(toolkit_picture_tools(context.sessions));
    add(compare_tools(context.sessions, context.history));
    add(toolkit_element_tools(context.sessions));
    add(toolkit_network_tools(context.sessions));
    add(tracing_tools(context.sessions));
    add(verify_tools(context.sessions));
    add(video_tools(context.sessions));
    add(web_storage_tools(context.sessions));
    add(named_session_tools(context.session_catalog));
    add(history_tools(context.history));
    return all;
}

void register_tools(Registry& registry, const std::vector<std::string>& capabilities,
                    const CatalogContext& context) {
    auto has = [&](std::string_view name) {
        // The capability tracing is now part of devtools.
        if (name == "devtools" && std::ranges::find(capabilities, "tracing") != capabilities.end())
            return true;
        return std::ranges::find(capabilities, name) != capabilities.end();
    };
    SessionParam named = context.session_catalog.sessions
                             ? context.session_param.tools.value_or(context.session_param.when)
                             : SessionParam::Off;
    for (Tool& tool : all_tools(context)) {
        if (context.session_param.tab_ids && tool.name == "browser_tabs")
            tool = sharing_tabs_tool(context.sessions, context.session_catalog);
        bool on = tool.capability.empty() || has(tool.capability);
        if (!on && tool.capability == "sessions" && named != SessionParam::Off) {
            // Callers that can name sessions get the tools for sessions.
            on = true;
            tool.stateless_only = named == SessionParam::Stateless;
        }
        if (tool.capability == "history") {
            // History tools are on when sessions have names, or when answers refer to the record.
            bool usual = !on && context.history.store && named != SessionParam::Off;
            tool.stateless_only = usual && named == SessionParam::Stateless && !context.history.offered;
            on = on || usual || context.history.offered;
        }
        SessionParamOptions param = context.session_param;
        if (tool.capability == "history") param.tab_ids = param.tab_required = false;
        if (on) {
            registry.add(with_session_argument(std::move(tool), param));
            continue;
        }
        registry.add_hidden(unavailable(tool.name, tool.capability));
        for (const std::string& alias : tool.aliases)
            registry.add_hidden(unavailable(alias, tool.capability));
    }
    if (context.sessions) registry.add(output_resources(context.sessions));
    if (context.session_catalog.key_of) {
        registry.set_own_tools([context](const Caller& caller) {
            return page_tools_of(context.session_catalog, context.sessions, context.session_param, caller);
        });
        registry.add(browser_resources({.sessions = context.session_catalog, .history = context.history}));
    }
}

}  // namespace tools
