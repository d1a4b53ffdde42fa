#include "tests/tools/toolkit_support.h"

namespace {

using testing::HasSubstr;

session::SessionOptions limited() {
    session::SessionOptions options;
    options.may_take_screenshot = [](std::uint64_t bytes) -> Result<void> {
        if (bytes <= 3) return ok();
        return Error{.code = ErrorCode::PolicyDenied,
                     .message = std::to_string(bytes) + " bytes are too many."};
    };
    return options;
}

class ScreenshotLimit : public fakes::ToolkitTest {
protected:
    ScreenshotLimit() : ToolkitTest(limited()) {}
};

TEST_F(ScreenshotLimit, HoldsForEveryToolThatTakesOne) {
    EXPECT_FALSE(call("browser_take_screenshot").is_error) << "three bytes";
    page().picture.base64 = "UE5HWA==";

    auto refused = call("browser_take_screenshot", R"({"filename": "a.png"})");

    EXPECT_TRUE(refused.is_error);
    EXPECT_THAT(refused.text, HasSubstr("4 bytes are too many."));
    EXPECT_FALSE(directory.has("a.png"));
    EXPECT_EQ(code("screenshot"), "POLICY_DENIED");
    EXPECT_EQ(code("screenshot_element", R"({"selector": "#it"})"), "POLICY_DENIED");
    EXPECT_EQ(code("compare_screenshots", R"({"baseline": "a.png", "update": true})"), "POLICY_DENIED");
}

}  // namespace
