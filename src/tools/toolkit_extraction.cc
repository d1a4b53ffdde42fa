#include "tools/toolkit.h"
#include "util/strings.h"

namespace tools {
namespace {

struct ElementParams {
    std::string selector;
    std::optional<int> timeout;
};

Task<json::value> get_text(Tab& tab, ElementParams params, Response&) {
    return read_element(tab, "text", params.selector, {}, Patience(tab, params.timeout));
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
                        Patience(tab, params.timeout));
}

Task<json::value> get_value(Tab& tab, ElementParams params, Response&) {
    Patience patience(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, patience);
    std::string value = co_await value_of(tab, tab.page().input_value(found.element, patience.deadline));
    co_return json::object{{"value", value}};
}

Task<json::value> extract_table(Tab& tab, ElementParams params, Response&) {
    return read_element(tab, "table", params.selector, {}, Patience(tab, params.timeout));
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

// A function is called with the arguments; what begins with return is a function's body; else it is an
// expression.
std::string to_expression(const EvaluateParams& params) {
    std::string_view script = trim(params.script);
    std::string args = json::serialize(params.args.value_or(json::array()));
    bool is_body = script.starts_with("return ") || script.starts_with("return\n");
    std::string value = is_body ? "async (...args) => {" + std::string(script) + "\n}" : std::string(script);
    return "() => { const script = (" + value + "\n); return typeof script === 'function' ? script(..." +
           args + ") : script; }";
}

Task<json::value> evaluate(Tab& tab, EvaluateParams params, Response&) {
    Deadline deadline = params.timeout ? Patience(tab, params.timeout).deadline : tab.deadline();
    std::optional<engine::Page::Evaluated> evaluated;
    auto done = co_await as_result(
        tab.perform(store(tab.page().evaluate(to_expression(params), nullptr, deadline), evaluated)));
    // What the script throws is its author's to mend.
    if (!done && done.error().code == ErrorCode::InternalError)
        done.error().code = ErrorCode::InvalidArgument;
    co_await std::move(done);
    if (!evaluated) co_await dialog_in_the_way(tab);
    co_return evaluated->value.value_or(nullptr);
}

}  // namespace

std::vector<Tool> toolkit_extraction_tools(const Sessions& sessions) {
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
                        {"name", &AttributeParams::name, "Name of the attribute."},
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
                         "An expression, a function like (a, b) => …, or a body that begins with return. "
                         "Promises are awaited."},
                        {"args", &EvaluateParams::args,
                         "What the function is called with; `args` in a body."},
                        {"timeout", &EvaluateParams::timeout, "Milliseconds it may take.", at_least_one},
                    },
                .handler = evaluate,
            }),
    };
}

}  // namespace tools
