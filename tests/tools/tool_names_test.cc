#include "tools/tool_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tools {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kKnown = {"browser_evaluate", "browser_click", "evaluate"};

TEST(ToolNames, StopTheStartWhenThereIsNoSuchTool) {
    auto checked = check_tool_names("security.blockedTools", {"browser_click", "browser_evalute"}, kKnown);

    ASSERT_FALSE(checked);
    EXPECT_THAT(checked.error().message, HasSubstr("security.blockedTools names \"browser_evalute\""));
    EXPECT_EQ(checked.error().hint, "Did you mean browser_evaluate?");
}

TEST(ToolNames, MayBePatterns) {
    EXPECT_TRUE(check_tool_names("x", {"*", "browser_*", "browser_clic?"}, kKnown));
    EXPECT_FALSE(check_tool_names("x", {"browsr_*"}, kKnown));
}

TEST(ToolNames, MayBeThoseOfPromptsPagesAndModules) {
    EXPECT_TRUE(check_tool_names("x", {"prompts/e2e_test", "webmcp_search", "init_page"}, kKnown));
}

}  // namespace
}  // namespace tools
