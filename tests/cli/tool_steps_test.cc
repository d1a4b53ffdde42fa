#include "cli/tool_steps.h"

#include <gmock/gmock.h>

#include "tools/catalog.h"

namespace {

// A tool without an entry would drop out of exported tests.
TEST(ToolSteps, KnowEveryTool) {
    std::vector<std::string> tools, known;
    for (const tools::Tool& tool : tools::all_tools({})) tools.push_back(tool.name);
    for (const cli::ToolSteps& steps : cli::all_tool_steps()) known.emplace_back(steps.tool);

    EXPECT_THAT(known, testing::UnorderedElementsAreArray(tools));
}

TEST(ToolSteps, TakeCallsOfUnknownToolsForActions) {
    EXPECT_EQ(cli::steps_of("webmcp_order").part, cli::Part::Action);
    EXPECT_EQ(cli::steps_of("browser_snapshot").part, cli::Part::Nothing);
}

TEST(ToolSteps, TellRefsFromSelectors) {
    for (const char* ref : {"e1", "f1e22"}) EXPECT_TRUE(cli::is_ref(ref)) << ref;
    for (const char* selector : {"e", "f1", "em", "e1 a", "fe1", "#e1", ""})
        EXPECT_FALSE(cli::is_ref(selector)) << selector;
}

}  // namespace
