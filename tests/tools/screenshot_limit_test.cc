#include "tests/tools/toolkit_support.h"

namespace {

using testing::HasSubstr;

class ScreenshotLimit : public fakes::ToolkitTest {
protected:
    ScreenshotLimit() : ToolkitTest({.max_screenshot_size = 3}) {}
};

TEST_F(ScreenshotLimit, HoldsForEveryToolThatTakesOne) {
    EXPECT_FALSE(call("browser_take_screenshot").is_error) << "three bytes";
    page().picture.base64 = "UE5HWA==";

    auto refused = call("browser_take_screenshot", R"({"filename": "a.png"})");

    EXPECT_TRUE(refused.is_error);
    EXPECT_THAT(
        refused.text,
        HasSubstr("A screenshot of 4 bytes is denied by security.maxScreenshotSize, which allows 3."));
    EXPECT_FALSE(directory.has("a.png"));
    EXPECT_EQ(code("screenshot"), "POLICY_DENIED");
    EXPECT_EQ(code("screenshot_element", R"({"selector": "#it"})"), "POLICY_DENIED");
    EXPECT_EQ(code("compare_screenshots", R"({"baseline": "a.png", "update": true})"), "POLICY_DENIED");
}

}  // namespace
