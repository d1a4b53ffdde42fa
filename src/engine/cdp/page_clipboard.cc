// Chromium has one clipboard for all contexts of a process. As soon as a second one has shown a page, each
// pastes what it has copied itself with the keyboard, as plain text, and never what is in the browser's
// clipboard.
#include <algorithm>

#include "engine/cdp/context.h"
#include "engine/cdp/page.h"

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
