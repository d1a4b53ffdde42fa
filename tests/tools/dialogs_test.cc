#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BrowserHandleDialog : public fakes::ToolTest {
protected:
    BrowserHandleDialog() {
        show_page();
        call("browser_snapshot");
        page().done.clear();
        page().open_dialog("prompt", "Name?");
        call("browser_tabs", R"({"action": "list"})");
    }
};

TEST_F(BrowserHandleDialog, AcceptsAndShowsThePageAgain) {
    EXPECT_EQ(call("browser_handle_dialog", R"({"accept": true, "promptText": "Me"})").text,
              "### Page\n- Page URL: http://localhost/\n- Page Title: Title");
    EXPECT_THAT(page().done, ElementsAre("answer_dialog accept Me"));
}

TEST_F(BrowserHandleDialog, Dismisses) {
    call("browser_handle_dialog", R"({"accept": false})");

    EXPECT_THAT(page().done, ElementsAre("answer_dialog dismiss -"));
}

TEST_F(BrowserHandleDialog, ShowsTheNextDialog) {
    page().during("answer_dialog", [this] { page().open_dialog("alert", "Two"); });
    page().hold("settle");

    EXPECT_EQ(call("browser_handle_dialog", R"({"accept": true})").text,
              "### Modal state\n- [\"alert\" dialog with message \"Two\"]: can be handled by "
              "browser_handle_dialog");
}

TEST_F(BrowserHandleDialog, SaysWhyItCouldNot) {
    page().fail("answer_dialog", {.code = ErrorCode::NotFound, .message = "No dialog is showing"});

    EXPECT_EQ(call("browser_handle_dialog", R"({"accept": true})").text,
              "### Error\nError: dialog.accept: No dialog is showing");
}

}  // namespace
