#include "tools/browser_tools.h"
#include "tools/source_text.h"
#include "util/off_loop.h"

namespace tools {
namespace {

struct EvaluateParams {
    std::optional<std::string> element;
    std::optional<std::string> target;
    std::string function;
    std::optional<std::string> filename;
};

using Evaluated = engine::Page::Evaluated;

std::string value_text(const Evaluated& evaluated) {
    return evaluated.value ? json::pretty(*evaluated.value) : "undefined";
}

Task<> show(Tab& tab, std::shared_ptr<const Evaluated> evaluated, EvaluateParams params, std::string subject,
            Response& response) {
    std::string function = evaluated->is_function ? params.function : "() => (" + params.function + ")";
    response.add_code("await " + subject + ".evaluate(" + quote(function) + ");");
    if (!evaluated->no_json.empty()) {
        response.add_error(evaluated->no_json);
        co_return;
    }
    std::string text = co_await off_loop<std::string>(
        tab.session().loop(), evaluated->bytes,
        [evaluated]() -> Result<std::string> { return value_text(*evaluated); });
    session::FileName name{.prefix = "result", .extension = "json", .given = params.filename.value_or("")};
    if (name.given.empty()) {
        response.add_text(std::move(text));
        co_return;
    }
    OutputFile file = co_await response.output_file(name);
    co_await response.write_long_text(file, std::move(text));
    response.add_text("- [Evaluation result](" + file.shown + ")");
}

// An exception of the script is page output and shown unchanged.
Task<> evaluate(Tab& tab, EvaluateParams params, Response& response) {
    engine::Located found;
    std::string subject = "page";
    if (!params.target.value_or("").empty()) {
        found = co_await tab.find(*params.target);
        subject += "." + found.javascript;
    }
    std::optional<Evaluated> evaluated;
    tab.note_step("running JavaScript in the page");
    auto done = co_await as_result(tab.perform(
        capture_into(tab.page().evaluate(params.function, found.element, tab.deadline()), evaluated)));
    if (done && evaluated) {
        auto value = std::make_shared<const Evaluated>(std::move(*evaluated));
        auto shown = co_await as_result(show(tab, std::move(value), params, subject, response));
        if (!shown) response.add_error(shown.error().message);
    } else if (!done) {
        response.add_error(done.error().message);
    }
}

}  // namespace

std::vector<Tool> evaluate_tools(const SessionResolver& sessions) {
    return {
        tab_tool<EvaluateParams>(
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
