#include "tools/browser_tools.h"
#include "tools/source_text.h"
#include "tools/typed_text.h"

namespace tools {
namespace {

struct PressKeyParams {
    std::string key;
};

Task<> press_key(Tab& tab, PressKeyParams params, Response& response) {
    co_await note_key(tab, params.key, false);
    response.add_code("// Press " + params.key);
    response.add_code("await page.keyboard.press(" + quote(params.key) + ");");
    Task<> press = tab.page().press(nullptr, params.key, tab.action_deadline());
    // Enter submits forms; waiting for the effects of every other key would cost too much.
    if (params.key == "Enter") {
        response.include_snapshot();
        co_await tab.perform(tab.action("keyboard.press"), std::move(press));
    } else {
        co_await tab.run(tab.action("keyboard.press"), std::move(press));
    }
}

struct TypeParams {
    std::optional<std::string> element;
    std::string target;
    std::string text;
    std::optional<bool> submit;
    std::optional<bool> slowly;
};

Task<> enter_text(Tab& tab, const TypeParams& params, const TypedText& typed, const engine::Located& found,
                  Response& response) {
    session::Codegen language = tab.session().options().codegen;
    if (params.slowly.value_or(false)) {
        std::string code = typed.is_secret ? secret_code(params.text, language) : quote(params.text);
        response.add_code("await page." + found.javascript + ".pressSequentially(" + code + ");");
        co_await run_as(tab.action("locator.pressSequentially"),
                        type_text(tab, typed, found.element, {}, tab.action_deadline()));
    } else {
        std::string shown = typed.is_secret ? secret_mark(params.text) : params.text;
        response.add_action({.kind = Action::Kind::Fill, .locator = found.code, .text = shown});
        co_await run_as(tab.action("locator.fill"),
                        fill_text(tab, typed, found.element, tab.action_deadline()));
    }
    if (params.submit.value_or(false)) {
        response.add_action({.kind = Action::Kind::Press, .locator = found.code, .text = "Enter"});
        co_await run_as(tab.action("locator.press"),
                        tab.page().press(found.element, "Enter", tab.action_deadline()));
    }
}

Task<> type(Tab& tab, TypeParams params, Response& response) {
    engine::Located found = co_await tab.find(params.target);
    TypedText typed = co_await text_to_type(tab, params.text, found);
    bool settles = params.submit.value_or(false) || params.slowly.value_or(false);
    if (settles) {
        response.include_snapshot();
        co_await tab.perform(enter_text(tab, params, typed, found, response));
    } else {
        co_await tab.until_modal(enter_text(tab, params, typed, found, response));
    }
}

}  // namespace

std::vector<Tool> keyboard_tools(const SessionResolver& sessions) {
    return {
        tab_tool<PressKeyParams>(
            sessions,
            {
                .name = "browser_press_key",
                .title = "Press a key",
                .description = "Press a key, wherever the focus is.",
                .params = {{"key", &PressKeyParams::key,
                            "A key or character, like ArrowLeft, a or Control+Shift+T."}},
                .handler = press_key,
            }),
        tab_tool<TypeParams>(
            sessions,
            {
                .name = "browser_type",
                .title = "Type text",
                .description = "Put text into an editable element, in place of what it holds.",
                .params =
                    {
                        {"element", &TypeParams::element, kElementHelp},
                        {"target", &TypeParams::target, kTargetHelp, {.aliases = {"ref"}}},
                        {"text", &TypeParams::text, "What to type, or the name of a secret."},
                        {"submit", &TypeParams::submit, "Press Enter afterwards."},
                        {"slowly", &TypeParams::slowly,
                         "Type key by key, for pages that listen to keys; adds to what is there."},
                    },
                .handler = type,
            }),
    };
}

}  // namespace tools
