#include "api/api_routes.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tools/catalog.h"

namespace {

std::map<std::string, std::string> capabilities_by_tool() {
    std::map<std::string, std::string> found;
    for (const tools::Tool& tool : tools::all_tools({})) found.emplace(tool.name, tool.capability);
    return found;
}

TEST(ApiRoutes, StandForToolsThatThereAreOrShowNothingOfAnybody) {
    auto tools = capabilities_by_tool();
    std::set<std::string_view> without;
    for (const api::ApiRoute& route : api::api_routes()) {
        const auto& tool = route.access.tool();
        if (!tool) {
            without.insert(route.path);
            continue;
        }
        ASSERT_TRUE(tools.contains(tool->tool())) << route.path;
        EXPECT_EQ(tools[tool->tool()], tool->capability()) << route.path;
        // What changes something is recorded as the call would be.
        EXPECT_EQ(tool->is_recorded(), route.method != "GET") << route.path;
    }
    // /api/call runs the tool that it names through the pipeline; the others tell nothing of anybody.
    EXPECT_EQ(without, (std::set<std::string_view>{"/api/call", "/api/health", "/api/openapi.json"}));
}

}  // namespace
