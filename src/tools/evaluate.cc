#include "tools/catalog.h"
#include "tools/source_text.h"

namespace tools {
namespace {

struct EvaluateParams {
    std::optional<std::string> element;
    std::optional<std::string> target;
    std::string function;
    std::optional<std::string> filename;
};

using Evaluated = engine::Page::Evaluated;

Result<void> show(const Evaluated& evaluated, const EvaluateParams& params, const std::string& subject,
                  Response& response) {
    std::string function = evaluated.is_function ? params.function : "() => (" + params.function + ")";
    response.add_code("await " + subject + ".evaluate(" + quote(function) + ");");
    std::string text = evaluated.value ? json::pretty(*evaluated.value) : "undefined";
    return response.add_result(
        "Evaluation result", text,
        {.prefix = "result", .extension = "json", .given = params.filename.value_or("")});
}

// What the script throws is the page's word and shown as it is.
Task<> evaluate(Tab& tab, EvaluateParams params, Response& response) {
    engine::Located found;
    std::string subject = "page";
    if (!params.target.value_or("").empty()) {
        found = co_await tab.find(*params.target);
        subject += "." + found.javascript;
    }
    std::optional<Evaluated> evaluated;
    auto done = co_await as_result(
        tab.perform(store(tab.page().evaluate(params.function, found.element, tab.deadline()), evaluated)));
    if (done && evaluated) {
        auto shown = show(*evaluated, params, subject, response);
        if (!shown) response.add_error(shown.error().message);
    } else if (!done) {
        response.add_error(done.error().message);
    }
}

}  // namespace

std::vector<Tool> evaluate_tools(const Sessions& sessions) {
    return {
        page_tool<EvaluateParams>(
            sessions,
            {
                .name = "browser_evaluate",
                .title = "Evaluate JavaScript",
                .description = "Run JavaScript in the page and answer its value as JSON.",
                .params =
                    {
                        {"element", &EvaluateParams::element, kElementHelp},
                        {"target",
                         &EvaluateParams::target,
                         "Element to pass to the function: its ref or a unique selector.",
                         {.aliases = {"ref"}}},
                        {"function", &EvaluateParams::function,
                         "() => …, (element) => … with a target, or an expression. Promises are awaited."},
                        {"filename", &EvaluateParams::filename, kFileHelp},
                    },
                .handler = evaluate,
            }),
    };
}

}  // namespace tools
