// Enters secret text into one element and nowhere else.
#include <algorithm>

#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "util/strings.h"

namespace cdp {
namespace {

std::shared_ptr<RemoteElement> remote(const std::shared_ptr<engine::Element>& element) {
    return std::dynamic_pointer_cast<RemoteElement>(element);
}

std::vector<std::string> characters(std::string_view text) {
    std::vector<std::string> list;
    while (!text.empty()) {
        std::size_t length = std::max<std::size_t>(utf8_sequence_length(text), 1);
        list.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return list;
}

Error stopped(ErrorCode code, std::size_t typed, std::size_t all, const std::string& why) {
    return Error{
        .code = code,
        .message = "locator.pressSequentially: stopped after " + std::to_string(typed) + " of " +
                   std::to_string(all) + " characters: " + why +
                   ". Those typed are in the element that was meant; the rest was typed nowhere.",
        .hint = "Look at what takes the focus, then clear the field and type again, or fill it at once."};
}

}  // namespace

Task<> Page::fill_confined(std::shared_ptr<engine::Element> target, std::string text, Deadline deadline) {
    auto self = shared_from_this();
    (void)co_await attempt(
        {.element = remote(target),
         .function = "(element, { value, ...options }) => troupe.fillConfined(element, value, options)",
         .options = {{"value", std::move(text)}},
         .call = "locator.fill"},
        deadline);
}

Task<> Page::type_confined(std::shared_ptr<engine::Element> target, std::string text,
                           std::chrono::milliseconds delay, Deadline deadline) {
    auto self = shared_from_this();
    auto element = remote(target);
    (void)co_await attempt(
        {.element = element,
         .function = "(element, options) => troupe.focus(troupe.retarget(element, 'control'), options)",
         .options = {{"caretToStart", true}},
         .call = "locator.pressSequentially"},
        deadline);
    std::vector<std::string> keys = characters(text);
    for (std::size_t typed = 0; typed < keys.size(); ++typed) {
        if (typed > 0 && delay.count() > 0) co_await sleep_for(loop_, delay);
        auto answer = co_await as_result(
            bounded(frames_.call(element->frame, "(element, text) => troupe.typeConfined(element, text)",
                                 {Argument(*element), json::value(keys[typed])}),
                    deadline, "locator.pressSequentially"));
        if (!answer) co_await stopped(answer.error().code, typed, keys.size(), answer.error().message);
        const json::object* taken = answer->if_object();
        if (!taken || !flag_of(*taken, "ok"))
            co_await stopped(ErrorCode::ElementNotInteractive, typed, keys.size(),
                             taken ? text_of(*taken, "reason") : "the page did not answer");
    }
}

Task<std::optional<std::string>> Page::focused_password(Deadline deadline) {
    auto self = shared_from_this();
    auto ask = [this](const std::string& frame) {
        return frames_.call(frame, "() => troupe.focusedPassword()", {});
    };
    std::vector<FrameAnswer> answers = co_await ask_frames(frame_ids(), ask, deadline);
    for (const FrameAnswer& each : answers) {
        if (each.answer && each.answer->is_string()) co_return std::string(each.answer->get_string());
    }
    co_return std::nullopt;
}

}  // namespace cdp
