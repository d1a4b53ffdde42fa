// Chromium has one clipboard for all contexts of a process. Once a second context has shown a page, each
// context pastes only what it copied itself with the keyboard, as plain text, and never the browser's
// clipboard.
#include <algorithm>

#include "engine/cdp/context.h"
#include "engine/cdp/page.h"
#include "engine/cdp/primary_selection.h"

namespace cdp {
namespace {

enum class Editing { None, Copy, Paste };

Editing editing_of(const std::string& keys) {
    std::vector<std::string> names = split_keys(keys);
    std::string key = names.back();
    names.pop_back();
    auto holds = [&](std::string_view name) {
        return std::ranges::any_of(names, [&](const std::string& each) { return each.starts_with(name); });
    };
    bool control = holds("Control"), shift = holds("Shift");
    auto is = [&](char letter) {
        std::string upper(1, static_cast<char>(letter - 'a' + 'A'));
        return key == std::string(1, letter) || key == upper || key == "Key" + upper;
    };
    if ((control && is('v')) || (shift && key == "Insert")) return Editing::Paste;
    if ((control && (is('c') || is('x') || key == "Insert")) || (shift && key == "Delete"))
        return Editing::Copy;
    return Editing::None;
}

}  // namespace

Result<void> check_button(const Context* context, engine::MouseButton button) {
    if (button != engine::MouseButton::Middle || !context) return ok();
    if (context->browser().is_ours() || !context->browser().shares_clipboard()) return ok();
    return Error{.code = ErrorCode::PolicyDenied,
                 .message =
                     "The middle button is off in an attached browser with several sessions: it would paste "
                     "what another one has selected.",
                 .hint = "To open a link in a new tab, click it with the modifier ControlOrMeta."};
}

Task<bool> Page::press_clipboard_key(std::string keys) {
    auto self = shared_from_this();
    std::shared_ptr<Context> context = context_.lock();
    Editing editing = editing_of(keys);
    if (!context || editing == Editing::None) co_return false;
    if (editing == Editing::Copy) {
        auto selected = co_await as_result(frames_.call(id_, "() => troupe.selectedText()", {}));
        if (selected && selected->is_string() && !selected->get_string().empty())
            context->clipboard() = selected->get_string();
        co_return false;
    }
    if (!context->browser().shares_clipboard()) co_return false;
    std::string text = context->clipboard();
    co_await keyboard_.press_without_effect(std::move(keys));
    if (text.empty()) co_return true;
    json::value wanted =
        co_await frames_.call(id_, "text => troupe.offerPaste(text)", {Argument(json::value(text))});
    if (wanted == json::value(true)) co_await keyboard_.insert(std::move(text));
    co_return true;
}

}  // namespace cdp
