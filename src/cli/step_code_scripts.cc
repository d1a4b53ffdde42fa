#include <algorithm>
#include <cctype>

#include "cli/javascript.h"
#include "cli/step_code.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace cli::step_code {
namespace {

using tools::quote;

// The code, with a line break where a comment ends it.
std::string closed(const std::string& code) {
    std::size_t last = code.rfind('\n');
    bool ends_with_comment = code.find("//", last == code.npos ? 0 : last) != code.npos;
    return ends_with_comment ? code + "\n" : code;
}

// The text of a function as an expression. In the page there is no environment: a function that needs it is
// made of a string.
std::string function_code(const std::string& function) {
    if (function.contains("<secret>")) return "new Function(" + quote("return (" + function + "\n)") + ")()";
    return closed(function);
}

}  // namespace

// Playwright runs functions; a string would only be evaluated to one.
Code browser_evaluate(const WrittenCall& call) {
    std::string function = text_of(call.params, "function"), wrapped = "() => (" + function + ")";
    if (call.code.ends_with("(" + quote(wrapped) + ");") ||
        (call.code.empty() && kind_of_script(function) != Script::Function))
        function = wrapped;
    std::string subject(call.page);
    std::vector<std::string_view> strings = strings_of(call.code);
    std::size_t method = call.code.rfind(
        ".evaluate(", strings.empty() ? call.code.size() : strings.back().data() - call.code.data());
    if (method != call.code.npos && call.code.starts_with("await ")) {
        subject = with_variable_renamed(call.code.substr(6, method - 6), "page", call.page);
    } else if (std::string_view target = target_of(call.params); !target.empty()) {
        Code element = all_matches(call, target);
        if (!element) return std::nullopt;
        subject = *element;
    }
    return "await " + subject + ".evaluate(" + function_code(function) + ");";
}

namespace {

// A name, or members of it, can be a function that the tool then calls.
bool may_name_function(std::string_view expression) {
    return std::ranges::all_of(expression, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
    });
}

}  // namespace

Code evaluate(const WrittenCall& call) {
    std::string script(trim(text_of(call.params, "script")));
    while (script.ends_with(';')) script = trim(std::string_view(script).substr(0, script.size() - 1));
    const json::array args = list_of(call.params, "args");
    std::string all = ", " + literal(args);
    auto run = [&](const std::string& function, const std::string& given) {
        return on_page(call, "evaluate(" + function_code(function) + given + ")");
    };
    switch (kind_of_script(script)) {
        case Script::Function:
            if (args.size() > 1) return run("args => (" + closed(script) + ")(...args)", all);
            return run(script, args.empty() ? "" : ", " + literal(args.front()));
        case Script::Statements: {
            bool reads_args = script.contains("args");
            std::string body = " => {\n" + indented(script) + "\n}";
            return run((reads_args ? "async args" : "async ()") + body, reads_args ? all : "");
        }
        case Script::Expression:
            break;
    }
    if (args.empty() && !may_name_function(script))
        return run((script.contains("await") ? "async " : "") + ("() => (" + closed(script) + ")"), "");
    return run("args => {\n  const script = " + closed(script) +
                   ";\n  return typeof script === 'function' ? script(...args) : script;\n}",
               all);
}

}  // namespace cli::step_code
