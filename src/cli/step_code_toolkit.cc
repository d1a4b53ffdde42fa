#include "cli/page_assertions.h"
#include "cli/step_code.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace cli::step_code {
namespace {

using tools::quote;

constexpr std::size_t kMaxTextLength = 200;

}  // namespace

Code navigate(const WrittenCall& call) {
    return on_page(
        call, with("goto", quote(url_of(call.params, call.data)), options_of(call.params, {"waitUntil"})));
}

Code go_back(const WrittenCall& call) {
    return on_page(call, with("goBack", "", options_of(call.params, {"waitUntil"})));
}

Code go_forward(const WrittenCall& call) {
    return on_page(call, with("goForward", "", options_of(call.params, {"waitUntil"})));
}

Code reload(const WrittenCall& call) { return on_page(call, "reload()"); }

Code wait_for_load(const WrittenCall& call) {
    std::string state = text_of(call.params, "state");
    return on_page(call, with("waitForLoadState", state.empty() ? "" : quote(state), ""));
}

Code click(const WrittenCall& call) {
    return on_first(call, with("click", "", options_of(call.params, {"button", "clickCount"})));
}

// Typing begins behind what the element holds.
Code type(const WrittenCall& call) {
    Code element = first_match(call);
    if (!element) return std::nullopt;
    std::string keys =
        with("pressSequentially", quote(text_of(call.params, "text")), options_of(call.params, {"delay"}));
    return "await " + *element +
           ".evaluate(field => { field.focus(); getSelection().modify('move', 'forward', "
           "'documentboundary'); "
           "});\nawait " +
           *element + "." + keys + ";";
}

Code fill(const WrittenCall& call) {
    return on_first(call, with("fill", quote(text_of(call.params, "value")), ""));
}

Code select(const WrittenCall& call) {
    return on_first(call, with("selectOption", literal(list_of(call.params, "values", "value")), ""));
}

Code check(const WrittenCall& call) { return on_first(call, "check()"); }

Code uncheck(const WrittenCall& call) { return on_first(call, "uncheck()"); }

Code hover(const WrittenCall& call) { return on_first(call, "hover()"); }

Code scroll(const WrittenCall& call) {
    json::object to;
    for (auto [name, side] : {std::pair{"x", "left"}, std::pair{"y", "top"}}) {
        if (const json::value* given = json::find(call.params, name); given && given->is_number())
            to[side] = *given;
    }
    to["behavior"] = "instant";
    std::string place = tools::to_javascript(to, tools::Layout::OneLine);
    if (text_of(call.params, "selector").empty())
        return on_page(call, "evaluate(to => document.scrollingElement.scrollTo(to), " + place + ")");
    return on_first(call, "evaluate((element, to) => element.scrollTo(to), " + place + ")");
}

Code drag_and_drop(const WrittenCall& call) {
    Code from = first_match(call, "source"), to = first_match(call, "target");
    if (!from || !to) return std::nullopt;
    return "await " + *from + ".dragTo(" + *to + ");";
}

Code upload_file(const WrittenCall& call) {
    return on_first(call, with("setInputFiles", literal(list_of(call.params, "files")), ""));
}

Code press(const WrittenCall& call) {
    std::string chord;
    for (const json::value& modifier : list_of(call.params, "modifiers")) {
        if (modifier.is_string()) chord += std::string(modifier.get_string()) + "+";
    }
    chord += text_of(call.params, "key");
    if (text_of(call.params, "selector").empty())
        return on_page(call, "keyboard.press(" + quote(chord) + ")");
    return on_first(call, "press(" + quote(chord) + ")");
}

Code wait_for_selector(const WrittenCall& call) {
    return on_first(call, with("waitFor", "", options_of(call.params, {"state"})));
}

namespace {

Code expect_first(const WrittenCall& call, const std::string& matcher) {
    Code element = first_match(call);
    if (!element) return std::nullopt;
    return "await expect(" + *element + ")." + matcher + ";";
}

std::optional<bool> flag_of(const WrittenCall& call, std::string_view name) {
    const json::object* data = call.data.if_object();
    return data ? json::find_bool(*data, name) : std::nullopt;
}

bool is_stable(std::string_view text) {
    return text.size() <= kMaxTextLength && stable_length(text) == text.size();
}

}  // namespace

Code read_exists(const WrittenCall& call) {
    auto exists = flag_of(call, "exists");
    if (!exists) return std::nullopt;
    return expect_first(call, *exists ? "toBeAttached()" : "not.toBeAttached()");
}

Code read_visible(const WrittenCall& call) {
    auto visible = flag_of(call, "visible");
    if (!visible) return std::nullopt;
    return expect_first(call, *visible ? "toBeVisible()" : "not.toBeVisible()");
}

Code read_enabled(const WrittenCall& call) {
    auto enabled = flag_of(call, "enabled");
    if (!enabled) return std::nullopt;
    return expect_first(call, *enabled ? "toBeEnabled()" : "toBeDisabled()");
}

Code read_text(const WrittenCall& call) {
    const json::object* data = call.data.if_object();
    for (const std::string& line : split(data ? text_of(*data, "text") : "", '\n')) {
        std::string_view text = trim(line);
        if (!text.empty() && is_stable(text))
            return expect_first(call, "toContainText(" + quote(text) + ", { useInnerText: true })");
    }
    return std::nullopt;
}

Code read_value(const WrittenCall& call) {
    const json::object* data = call.data.if_object();
    auto value = data ? json::find_string(*data, "value") : std::nullopt;
    if (!value || !is_stable(*value)) return std::nullopt;
    return expect_first(call, "toHaveValue(" + quote(*value) + ")");
}

Code read_attribute(const WrittenCall& call) {
    std::string name = text_of(call.params, "name");
    if (name.empty()) name = text_of(call.params, "attribute");
    const json::object* data = call.data.if_object();
    const json::value* value = data ? json::find(*data, "value") : nullptr;
    if (!value || name.empty()) return std::nullopt;
    if (value->is_null()) return expect_first(call, "not.toHaveAttribute(" + quote(name) + ")");
    if (!value->is_string() || !is_stable(value->get_string())) return std::nullopt;
    return expect_first(call, "toHaveAttribute(" + quote(name) + ", " + literal(*value) + ")");
}

}  // namespace cli::step_code
