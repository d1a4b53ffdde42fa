#include "tests/tools/support.h"

namespace {

using testing::HasSubstr;
using testing::Not;

class BrowserPdfSave : public fakes::ToolTest {
protected:
    void SetUp() override { show_page(); }
};

TEST_F(BrowserPdfSave, SavesTheDocument) {
    auto outcome = call("browser_pdf_save");

    std::string name = ".playwright-mcp/page-2026-03-04T05-06-07-089Z.pdf";
    EXPECT_THAT(outcome.text, HasSubstr("- [Page as pdf](" + name + ")"));
    EXPECT_THAT(outcome.text, HasSubstr("await page.pdf({\n  path: '" + name + "'\n});"));
    EXPECT_EQ(directory.read(name), "%PDF-1.4");
}

TEST_F(BrowserPdfSave, TakesAName) {
    EXPECT_THAT(call("browser_pdf_save", R"({"filename": "one.pdf"})").text, HasSubstr("(./one.pdf)"));
    EXPECT_TRUE(directory.has("one.pdf"));
    EXPECT_THAT(call("browser_pdf_save", R"({"filename": "/etc/one.pdf"})").text,
                HasSubstr("File access denied"));
}

TEST_F(BrowserPdfSave, WritesNothingWhenPrintingFails) {
    page().fail("pdf", {.code = ErrorCode::Timeout, .message = "Printing"});

    auto outcome = call("browser_pdf_save", R"({"filename": "one.pdf"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("page.pdf: Timeout 30000ms exceeded."));
    EXPECT_FALSE(directory.has("one.pdf"));
}

}  // namespace
