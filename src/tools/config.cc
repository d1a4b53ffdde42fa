#include "tools/browser_tools.h"

namespace tools {
namespace {

using EffectiveConfig = std::function<json::value()>;

Task<ToolResult> get_config(EffectiveConfig effective_config) {
    co_return ToolResult::text("### Result\n" + json::pretty(effective_config()));
}

}  // namespace

std::vector<Tool> config_tools(EffectiveConfig effective_config) {
    return {
        tool<schema::NoParams>({
            .name = "browser_get_config",
            .title = "Get config",
            .description =
                "Show the configuration in effect: file, environment and flags merged, secrets masked.",
            .effect = Effect::ReadsPage,  // as Playwright MCP marks it
            .capability = "config",
            .handler = [effective_config](Call, schema::NoParams) { return get_config(effective_config); },
        }),
    };
}

}  // namespace tools
