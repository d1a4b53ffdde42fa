#include "tools/browser_tools.h"
#include "tools/source_text.h"

namespace tools {
namespace {

bool is_ref(std::string_view target) {
    return target.find_first_not_of("ef0123456789") == std::string_view::npos &&
           (target.starts_with('e') || target.starts_with('f'));
}

// The element's name in the answer: the caller's words, when given.
std::string name_of(const std::optional<std::string>& words, const std::string& target,
                    const engine::Located& found) {
    if (!words.value_or("").empty()) return *words;
    return is_ref(target) ? "locator(" + quote("aria-ref=" + target) + ")" : found.javascript;
}

struct HighlightParams {
    std::optional<std::string> element;
    std::string target;
    std::optional<std::string> style;
};

Task<> highlight(Tab& tab, HighlightParams params, Response& response) {
    engine::Located found = co_await tab.find(params.target, engine::Matches::First);
    engine::HighlightOptions options{.label = found.javascript, .style = params.style.value_or("")};
    bool done = co_await tab.run(tab.action("locator.highlight"),
                                 tab.page().highlight(found.element, options, tab.action_deadline()));
    if (done) response.add_text("Highlighted " + name_of(params.element, params.target, found));
}

struct HideParams {
    std::optional<std::string> element;
    std::optional<std::string> target;
};

Task<> hide_highlight(Tab& tab, HideParams params, Response& response) {
    engine::Located found;
    bool one = !params.target.value_or("").empty();
    if (one) found = co_await tab.find(*params.target, engine::Matches::First);
    bool done = co_await tab.run(tab.action("locator.hideHighlight"),
                                 tab.page().hide_highlight(found.element, tab.action_deadline()));
    if (!done) co_return;
    response.add_text(one ? "Hid highlight for " + name_of(params.element, *params.target, found)
                          : "Hid page highlight");
}

}  // namespace

std::vector<Tool> highlight_tools(const SessionResolver& sessions) {
    return {
        tab_tool<HighlightParams>(
            sessions,
            {
                .name = "browser_highlight",
                .title = "Highlight element",
                .description = "Draw a frame around an element that stays until it is hidden.",
                .effect = Effect::ReadsPage,
                .capability = "devtools",
                .params =
                    {
                        {"element", &HighlightParams::element, kElementHelp},
                        {"target", &HighlightParams::target, kTargetHelp, {.aliases = {"ref"}}},
                        {"style", &HighlightParams::style,
                         "CSS for the frame, like outline: 2px dashed red."},
                    },
                .handler = highlight,
            }),
        tab_tool<HideParams>(
            sessions,
            {
                .name = "browser_hide_highlight",
                .title = "Hide element highlight",
                .description = "Remove the frame around an element, or all frames.",
                .effect = Effect::ReadsPage,
                .capability = "devtools",
                .params =
                    {
                        {"element", &HideParams::element, "What the element is, in words."},
                        {"target",
                         &HideParams::target,
                         "Element ref or selector, as for browser_highlight. Left out, all frames go.",
                         {.aliases = {"ref"}}},
                    },
                .handler = hide_highlight,
            }),
    };
}

}  // namespace tools
