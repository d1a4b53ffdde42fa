#include "engine/devices.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using engine::find_device;
using testing::HasSubstr;

namespace {

TEST(Devices, HaveTheSizesOfTheirScreens) {
    auto phone = find_device("iPhone 15");

    ASSERT_TRUE(phone);
    EXPECT_EQ(phone->viewport.width, 393);
    EXPECT_EQ(phone->viewport.height, 659);
    EXPECT_EQ(phone->screen->height, 852);
    EXPECT_EQ(phone->scale, 3);
    EXPECT_TRUE(phone->is_mobile);
    EXPECT_TRUE(phone->has_touch);
    EXPECT_EQ(
        phone->user_agent,
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/26.5 Mobile/15E148 Safari/604.1");
}

TEST(Devices, CanBeTurned) {
    auto phone = find_device("Pixel 7 landscape");

    ASSERT_TRUE(phone);
    EXPECT_EQ(phone->viewport.width, 863);
    EXPECT_EQ(phone->screen->width, 915);
    EXPECT_FALSE(find_device("Desktop Chrome landscape"));
}

TEST(Devices, IncludeDesktops) {
    auto desktop = find_device("desktop edge");

    ASSERT_TRUE(desktop);
    EXPECT_FALSE(desktop->is_mobile);
    EXPECT_FALSE(desktop->has_touch);
    EXPECT_THAT(desktop->user_agent, HasSubstr("Edg/"));
}

TEST(Devices, AreAllWhole) {
    auto names = engine::device_names();

    EXPECT_EQ(names.size(), 207);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    for (const std::string& name : names) {
        auto device = find_device(name);
        ASSERT_TRUE(device) << name;
        EXPECT_GT(device->viewport.width, 300) << name;
        EXPECT_GT(device->viewport.height, 290) << name;
        EXPECT_GE(device->scale, 1) << name;
        EXPECT_TRUE(device->user_agent.starts_with("Mozilla/5.0 (")) << name;
        std::string agent = engine::agent_of_version(device->user_agent, "HeadlessChrome/9.8.7.6");
        EXPECT_EQ(agent.find_first_of("{}*"), std::string::npos) << agent;
    }
}

TEST(Devices, NameTheVersionOfTheBrowserThatRuns) {
    std::string agent =
        engine::agent_of_version(find_device("Pixel 10")->user_agent, "HeadlessChrome/9.8.7.6");

    EXPECT_THAT(agent, HasSubstr(" Chrome/9.8.7.6 Mobile Safari/"));
    EXPECT_EQ(engine::agent_of_version("Mine/1", "Chrome/9"), "Mine/1");
}

TEST(Devices, SuggestTheNameThatWasMeant) {
    EXPECT_THAT(find_device("iPhone15").error().hint, HasSubstr("iPhone 15"));
    EXPECT_THAT(find_device("Toaster 9000").error().hint, HasSubstr("Desktop Chrome"));
}

TEST(Devices, ShapeAContext) {
    engine::ContextOptions options;

    engine::apply(*find_device("Pixel 10"), options);

    EXPECT_EQ(options.viewport->width, 360);
    EXPECT_EQ(options.device_scale_factor, 3);
    EXPECT_TRUE(options.is_mobile);
    EXPECT_THAT(options.user_agent, HasSubstr("Pixel 10"));
}

}  // namespace
