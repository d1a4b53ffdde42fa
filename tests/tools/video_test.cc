#include "tests/tools/support.h"

namespace {

using testing::Contains;
using testing::HasSubstr;

class BrowserVideo : public fakes::ToolTest {
protected:
    void SetUp() override {
        show_page();
        call("browser_snapshot");
    }
};

TEST_F(BrowserVideo, ShowsAChapter) {
    EXPECT_THAT(
        call("browser_video_chapter", R"({"title": "One", "description": "more", "duration": 5})").text,
        HasSubstr("### Result\nChapter 'One' added."));
    EXPECT_THAT(page().done, Contains("show_chapter One|more|5"));
    call("browser_video_chapter", R"({"title": "Two"})");
    EXPECT_THAT(page().done, Contains("show_chapter Two||2000"));
    EXPECT_TRUE(call("browser_video_chapter").is_error);
}

TEST_F(BrowserVideo, NamesActionsUntilToldOtherwise) {
    EXPECT_THAT(
        call("browser_video_show_actions", R"({"duration": 200, "position": "bottom", "cursor": "none",
                                                       "style": {"highlight": "outline: none"}})")
            .text,
        HasSubstr("### Result\nAction annotations enabled."));
    ASSERT_TRUE(page().notes);
    EXPECT_EQ(page().notes->duration, std::chrono::milliseconds(200));
    EXPECT_EQ(page().notes->position, "bottom");
    EXPECT_FALSE(page().notes->cursor);
    EXPECT_EQ(page().notes->highlight_style, "outline: none");

    EXPECT_THAT(call("browser_video_hide_actions").text, HasSubstr("Action annotations disabled."));
    EXPECT_FALSE(page().notes);
    EXPECT_TRUE(call("browser_video_show_actions", R"({"position": "middle"})").is_error);
}

class VideoWithoutAPage : public fakes::ToolTest {};

TEST_F(VideoWithoutAPage, HasNothingToShowItOn) {
    EXPECT_THAT(call("browser_video_chapter", R"({"title": "One"})").text,
                HasSubstr("No open pages available."));
}

}  // namespace
