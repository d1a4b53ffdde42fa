#include "cli/step_code.h"

#include "session/urls.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace cli::step_code {

using tools::quote;

std::string text_of(const json::object& object, std::string_view key) {
    return std::string(json::find_string(object, key).value_or(""));
}

std::string literal(const json::value& value) {
    return value.is_string() ? quote(value.get_string()) : json::serialize(value);
}

std::string options_of(const json::object& params, std::initializer_list<std::string_view> names) {
    json::object options;
    for (std::string_view name : names) {
        const json::value* given = json::find(params, name);
        if (given && !given->is_null()) options[name] = *given;
    }
    return options.empty() ? "" : tools::to_javascript(options, tools::Layout::OneLine);
}

json::array list_of(const json::object& params, std::string_view name, std::string_view item_name) {
    const json::value* given = json::find(params, name);
    if (!given && !item_name.empty()) given = json::find(params, item_name);
    if (!given || given->is_null()) return {};
    return given->is_array() ? given->get_array() : json::array{*given};
}

namespace {

bool is_locator(std::string_view selector) {
    return selector.starts_with("getBy") || selector.starts_with("locator(") ||
           selector.starts_with("frameLocator(");
}

}  // namespace

Code all_matches(const WrittenCall& call, std::string_view selector) {
    selector = trim(selector);
    if (selector.empty()) return std::nullopt;
    if (is_ref(selector)) {
        std::string locator = call.locator_of(selector);
        if (locator.empty()) return std::nullopt;
        return std::string(call.page) + "." + locator;
    }
    std::string_view expression = selector;
    for (std::string_view before : {"await ", "page."}) {
        if (expression.starts_with(before)) expression.remove_prefix(before.size());
    }
    if (!is_locator(expression)) return std::string(call.page) + ".locator(" + quote(selector) + ")";
    while (expression.ends_with(';')) expression.remove_suffix(1);
    // Notations of other languages, which the tools accept as well.
    bool is_foreign = expression.contains("AriaRole.") || expression.contains(".visible()");
    if (is_foreign) return std::nullopt;
    return std::string(call.page) + "." + std::string(expression);
}

Code first_match(const WrittenCall& call, std::string_view argument) {
    Code all = all_matches(call, text_of(call.params, argument));
    bool is_one = all && (all->ends_with(".first()") || is_ref(trim(text_of(call.params, argument))));
    if (all && !is_one) *all += ".first()";
    return all;
}

Code on_first(const WrittenCall& call, const std::string& method) {
    Code element = first_match(call);
    if (!element) return std::nullopt;
    return "await " + *element + "." + method + ";";
}

std::string with(std::string_view method, std::string first, const std::string& options) {
    if (!first.empty() && !options.empty()) first += ", ";
    return std::string(method) + "(" + first + options + ")";
}

std::string on_page(const WrittenCall& call, const std::string& method) {
    return "await " + std::string(call.page) + "." + method + ";";
}

std::string context_of(const WrittenCall& call) { return std::string(call.page) + ".context()"; }

std::string url_of(const json::object& params, const json::value& data) {
    std::string typed = text_of(params, "url");
    bool is_relative = typed.starts_with('/') || typed.starts_with('.');
    const json::object* answered = data.if_object();
    if (is_relative && answered) return text_of(*answered, "url");
    return session::browser_url(session::complete_url(typed));
}

}  // namespace cli::step_code
