#include "tools/toolkit.h"
#include "util/strings.h"

namespace tools {
namespace {

struct ElementParams {
    std::string selector;
    std::optional<int> timeout;
};

Task<json::value> get_text(Tab& tab, ElementParams params, Response&) {
    return read_element(tab, "text", params.selector, {}, Timeout(tab, params.timeout));
}

struct SelectorParams {
    std::string selector;
};

Task<json::value> get_all_text(Tab& tab, SelectorParams params, Response&) {
    json::value read = co_await read_now(tab, "texts", params.selector);
    co_return read.is_null() ? json::object{{"texts", json::array()}} : read;
}

struct AttributeParams : ElementParams {
    std::string name;
};

Task<json::value> get_attribute(Tab& tab, AttributeParams params, Response&) {
    return read_element(tab, "attribute", params.selector, {{"name", params.name}},
                        Timeout(tab, params.timeout));
}

Task<json::value> get_value(Tab& tab, ElementParams params, Response&) {
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    std::string value = co_await value_of(tab, tab.page().input_value(found.element, timeout.deadline));
    co_return json::object{{"value", value}};
}

Task<json::value> extract_table(Tab& tab, ElementParams params, Response&) {
    return read_element(tab, "table", params.selector, {}, Timeout(tab, params.timeout));
}

struct LinksParams {
    std::optional<std::string> selector;
    std::optional<int> limit;
};

Task<json::value> extract_links(Tab& tab, LinksParams params, Response&) {
    std::string selector = params.selector.value_or("");
    json::object options{{"scoped", !selector.empty()}, {"limit", params.limit.value_or(1000)}};
    json::value read = co_await read_now(tab, "links", selector, options);
    co_return read.is_null() ? json::object{{"total", 0}, {"links", json::array()}} : read;
}

Task<json::value> get_page_metadata(Tab& tab, schema::NoParams, Response&) {
    return read_now(tab, "metadata", "");
}

struct EvaluateParams {
    std::string script;
    std::optional<json::array> args;
    std::optional<int> timeout;
};

// An async function of the statements, with `args` in scope.
std::string function_of(std::string_view body) {
    // A function that begins with 'use strict' cannot have rest parameters.
    return "((...args) => (async args => {" + std::string(body) + "\n})(args))";
}

// Candidate positions where the last statement begins, from the end.
std::vector<std::size_t> statement_starts(std::string_view script) {
    constexpr std::size_t kMaxStarts = 32;
    std::vector<std::size_t> starts;
    for (std::size_t i = script.size(); i > 0 && starts.size() < kMaxStarts; --i) {
        if (script[i - 1] == ';' || script[i - 1] == '\n') starts.push_back(i);
    }
    return starts;
}

// As in consoles, statements without a `return` yield the value of the last one when it is an expression.
Task<std::optional<std::string>> with_last_value(Tab& tab, std::string_view script, Deadline deadline) {
    if (script.contains("return") && !co_await tab.page().is_script(std::string(script), deadline))
        co_return std::nullopt;
    for (std::size_t start : statement_starts(script)) {
        std::string before(script.substr(0, start)), last(script.substr(start));
        if (trim(last).empty()) continue;
        std::string way = function_of(before + ";return (" + last + "\n)");
        if (!co_await tab.page().is_script(way, deadline)) continue;
        // A line break ends a statement only when the next line cannot continue it.
        std::string joined = before.substr(0, start - 1) + " " + last;
        if (before.ends_with('\n') && co_await tab.page().is_script(function_of(joined), deadline)) continue;
        co_return way;
    }
    co_return std::nullopt;
}

// The script as an expression, otherwise as a function's body. Parses instead of trying it out, so that no
// script runs twice.
Task<std::string> value_of_script(Tab& tab, std::string script, Deadline deadline) {
    while (script.ends_with(';')) script = trim(std::string_view(script).substr(0, script.size() - 1));
    std::string expression = "(" + script + "\n)";
    for (const std::string& way : {expression, "(async (...args) => " + expression + ")"}) {
        if (co_await tab.page().is_script(way, deadline)) co_return way;
    }
    if (auto way = co_await with_last_value(tab, script, deadline)) co_return std::move(*way);
    std::string body = function_of(script);
    // The error of the expression describes the problem.
    co_return co_await tab.page().is_script(body, deadline) ? body : expression;
}

// When the script is a function, calls it with the arguments.
Task<std::string> to_expression(Tab& tab, EvaluateParams params, Deadline deadline) {
    std::string args = json::serialize(params.args.value_or(json::array()));
    std::string value = co_await value_of_script(tab, std::string(trim(params.script)), deadline);
    co_return "() => { const script = " + value + "; return typeof script === 'function' ? script(..." +
        args + ") : script; }";
}

Task<json::value> evaluate(Tab& tab, EvaluateParams params, Response&) {
    Deadline deadline = params.timeout ? Timeout(tab, params.timeout).deadline : tab.deadline();
    std::string expression = co_await value_of(tab, to_expression(tab, params, deadline));
    std::optional<engine::Page::Evaluated> evaluated;
    tab.note_step("running JavaScript in the page");
    auto done = co_await as_result(
        tab.perform(capture_into(tab.page().evaluate(std::move(expression), nullptr, deadline), evaluated)));
    // The script's author has to fix its exceptions.
    if (!done && done.error().code == ErrorCode::InternalError)
        done.error().code = ErrorCode::InvalidArgument;
    co_await std::move(done);
    if (!evaluated) co_await dialog_in_the_way(tab);
    if (!evaluated->no_json.empty()) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "The value has no JSON: " + evaluated->no_json,
                       .hint = "Return plain values, lists and objects."};
    }
    co_return evaluated->value.value_or(nullptr);
}

}  // namespace

std::vector<Tool> toolkit_extraction_tools(const SessionResolver& sessions) {
    schema::ParamOptions at_least_one{.minimum = 1};
    schema::ParamList<ElementParams> only_element = {
        {"selector", &ElementParams::selector, kSelectorHelp},
        {"timeout", &ElementParams::timeout, kTimeoutHelp, at_least_one},
    };
    return {
        toolkit_tool<ElementParams>(sessions,
                                    {
                                        .name = "get_text",
                                        .title = "Get text",
                                        .description = "The text that an element shows.",
                                        .effect = Effect::ReadsPage,
                                        .params = only_element,
                                        .data = object_schema({{"text", "string"}}),
                                        .handler = get_text,
                                    }),
        toolkit_tool<SelectorParams>(
            sessions,
            {
                .name = "get_all_text",
                .title = "Get all texts",
                .description = "The texts of all elements that match now.",
                .effect = Effect::ReadsPage,
                .params = {{"selector", &SelectorParams::selector, "As for get_text; every match counts."}},
                .data = object_schema({{"texts", "array"}}),
                .handler = get_all_text,
            }),
        toolkit_tool<AttributeParams>(
            sessions,
            {
                .name = "get_attribute",
                .title = "Get attribute",
                .description = "An attribute of an element; null when it has none of that name.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"selector", &AttributeParams::selector, kSelectorHelp},
                        {"name",
                         &AttributeParams::name,
                         "Name of the attribute.",
                         {.aliases = {"attribute"}}},
                        {"timeout", &AttributeParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .handler = get_attribute,
            }),
        toolkit_tool<ElementParams>(sessions,
                                    {
                                        .name = "get_value",
                                        .title = "Get value",
                                        .description = "What an input, text area or select holds.",
                                        .effect = Effect::ReadsPage,
                                        .params = only_element,
                                        .data = object_schema({{"value", "string"}}),
                                        .handler = get_value,
                                    }),
        toolkit_tool<ElementParams>(
            sessions,
            {
                .name = "extract_table",
                .title = "Extract table",
                .description = "A table's rows, each an object by header; a cell that spans several rows or "
                               "columns is repeated in each.",
                .effect = Effect::ReadsPage,
                .params = only_element,
                .data = object_schema({{"caption", "string"}, {"headers", "array"}, {"rows", "array"}}),
                .handler = extract_table,
            }),
        toolkit_tool<LinksParams>(
            sessions,
            {
                .name = "extract_links",
                .title = "Extract links",
                .description = "The links of the page or inside the matching elements, with whole addresses.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"selector", &LinksParams::selector, "Only links inside. Default: the whole page."},
                        {"limit", &LinksParams::limit, "How many at most. Default 1000.", at_least_one},
                    },
                .data = object_schema({{"total", "integer"}, {"links", "array"}}),
                .handler = extract_links,
            }),
        toolkit_tool<schema::NoParams>(
            sessions,
            {
                .name = "get_page_metadata",
                .title = "Get page metadata",
                .description = "Title, description, canonical address, language, OpenGraph, JSON-LD and load "
                               "timing of the page.",
                .effect = Effect::ReadsPage,
                .data = {{"type", "object"}},
                .handler = get_page_metadata,
            }),
        toolkit_tool<EvaluateParams>(
            sessions,
            {
                .name = "evaluate",
                .title = "Evaluate JavaScript",
                .description = "Run JavaScript in the page; data is its value as JSON.",
                .params =
                    {
                        {"script", &EvaluateParams::script,
                         "An expression, a function like (a, b) => …, or statements with return. Promises "
                         "are "
                         "awaited."},
                        {"args", &EvaluateParams::args,
                         "What the function is called with; `args` in statements."},
                        {"timeout", &EvaluateParams::timeout, "Milliseconds it may take.", at_least_one},
                    },
                .handler = evaluate,
            }),
    };
}

}  // namespace tools
