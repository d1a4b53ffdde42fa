#include "tools/browser_tools.h"

namespace tools {
namespace {

struct HandleDialogParams {
    bool accept = false;
    std::optional<std::string> prompt_text;
};

// Does not wait for dialogs that are already open: the answered dialog would end the wait at once.
Task<> handle_dialog(Tab& tab, HandleDialogParams params, Response&) {
    Task<> answer = tab.page().answer_dialog(params.accept, params.prompt_text, tab.action_deadline());
    co_await tab.answer_modal(tab.action(params.accept ? "dialog.accept" : "dialog.dismiss"),
                              std::move(answer));
}

}  // namespace

std::vector<Tool> dialog_tools(const SessionResolver& sessions) {
    return {
        tab_tool<HandleDialogParams>(
            sessions,
            {
                .name = "browser_handle_dialog",
                .title = "Handle a dialog",
                .description = "Answer the open alert, confirm, prompt or beforeunload dialog.",
                .params =
                    {
                        {"accept", &HandleDialogParams::accept, "Whether to accept it."},
                        {"promptText", &HandleDialogParams::prompt_text, "What to enter into a prompt."},
                    },
                .answers = engine::Modal::Kind::Dialog,
                .handler = handle_dialog,
            }),
    };
}

}  // namespace tools
