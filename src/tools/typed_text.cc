#include "tools/typed_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "util/strings.h"

namespace tools {
namespace {

// The origin of an address in the form that browsers write.
std::string origin_of(const std::string& url) {
    std::size_t host = url.find("://");
    return url.substr(0, host == url.npos ? url.find(':') : url.find_first_of("/?#", host + 3));
}

}  // namespace

Task<TypedText> text_to_type(session::Tab& tab, std::string text, const engine::Located& found) {
    const session::Secrets& secrets = tab.session().secrets();
    std::optional<std::string> value = secrets.find(text);
    if (!value) {
        if (found.takes_password) tab.session().note_password(text);
        co_return TypedText{std::move(text)};
    }
    const std::vector<std::string>* bound = secrets.origins_of(text);
    if (!bound) co_return TypedText{std::move(*value), true};
    std::array<std::string, 2> origins = {
        origin_of(tab.page().url()), co_await tab.page().origin_of(found.element, tab.action_deadline())};
    for (const std::string& origin : origins) {
        if (secrets.is_for(text, origin)) continue;
        constexpr std::string_view kRule = "security.secretOrigins";
        if (const auto& denied = tab.session().options().denied)
            denied("secret " + text + " at " + origin, std::string(kRule));
        co_await Error{.code = ErrorCode::PolicyDenied,
                       .message = "Secret \"" + text + "\" is denied by " + std::string(kRule) +
                                  ": it is not for " + origin + ".",
                       .hint = "It may be typed at " + join(*bound, ", ") + "."};
    }
    co_return TypedText{std::move(*value), true};
}

Task<> fill_text(session::Tab& tab, const TypedText& typed, std::shared_ptr<engine::Element> element,
                 Deadline deadline) {
    engine::Page& page = tab.page();
    return typed.is_secret ? page.fill_confined(std::move(element), typed.text, deadline)
                           : page.fill(std::move(element), typed.text, deadline);
}

Task<> type_text(session::Tab& tab, TypedText typed, std::shared_ptr<engine::Element> element,
                 std::chrono::milliseconds delay, Deadline deadline) {
    engine::Page& page = tab.page();
    if (typed.is_secret) {
        co_await page.type_confined(std::move(element), std::move(typed.text), delay, deadline);
        co_return;
    }
    if (delay.count() == 0) {
        co_await page.type(std::move(element), std::move(typed.text), deadline);
        co_return;
    }
    std::string_view rest = typed.text;
    while (!rest.empty()) {
        std::size_t length = std::max<std::size_t>(utf8_sequence_length(rest), 1);
        // Only the first character names the element; the rest follow the focus.
        co_await page.type(std::exchange(element, nullptr), std::string(rest.substr(0, length)), deadline);
        rest.remove_prefix(length);
        if (!rest.empty()) co_await sleep_for(tab.session().loop(), delay);
    }
}

Task<> note_key(session::Tab& tab, std::string key, bool is_for_password) {
    auto focused = co_await as_result(tab.page().focused_password(tab.action_deadline()));
    std::string before = focused ? focused->value_or("") : "";
    // Any key may send the field away, and the page may then show its text elsewhere.
    if (!before.empty()) tab.session().note_password(before);
    // Names of keys are longer than one character, and type no text.
    if (utf8_sequence_length(key) != key.size()) co_return;
    if (!is_for_password && !(focused && *focused)) co_return;
    tab.session().note_password(key);
    if (!before.empty()) tab.session().note_password(before + key);
}

}  // namespace tools
