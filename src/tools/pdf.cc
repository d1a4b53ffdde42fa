#include "tools/browser_tools.h"
#include "tools/source_text.h"

namespace tools {
namespace {

// Printing takes longer than an action does.
constexpr std::chrono::seconds kPrintTimeout{30};

struct PdfParams {
    std::optional<std::string> filename;
};

Task<> save_pdf(Tab& tab, PdfParams params, Response& response) {
    OutputFile file = co_await response.output_file(
        {.prefix = "page", .extension = "pdf", .given = params.filename.value_or("")});
    std::optional<std::string> document;
    Deadline deadline = tab.deadline_in(kPrintTimeout, "the PDF document");
    co_await tab.run({.name = "page.pdf", .limit = kPrintTimeout},
                     capture_into(tab.page().pdf(deadline), document));
    if (!document) co_return;
    co_await response.add_file("Page as pdf", file, *document);
    response.add_code("await page.pdf(" + to_javascript(json::object{{"path", file.shown}}) + ");");
}

}  // namespace

std::vector<Tool> pdf_tools(const SessionResolver& sessions) {
    return {
        tab_tool<PdfParams>(
            sessions,
            {
                .name = "browser_pdf_save",
                .title = "Save as PDF",
                .description = "Save the page as a PDF document, as it would be printed.",
                .effect = Effect::ReadsPage,
                .capability = "pdf",
                .params = {{"filename", &PdfParams::filename,
                            "File to save to, relative to the workspace. Default: page-<time>.pdf."}},
                .handler = save_pdf,
            }),
    };
}

}  // namespace tools
