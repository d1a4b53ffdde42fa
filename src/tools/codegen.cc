#include "tools/codegen.h"

#include <algorithm>
#include <functional>

#include "tools/source_text.h"
#include "util/strings.h"

namespace tools {
namespace {

using engine::Modifier;
using engine::MouseButton;
using session::Codegen;

std::string_view button_name(MouseButton button) {
    switch (button) {
        case MouseButton::Left:
            return "left";
        case MouseButton::Right:
            return "right";
        case MouseButton::Middle:
            return "middle";
    }
    return "left";
}

// In Playwright's order. Control and Meta both print as the key that is right on every platform.
std::vector<std::string> modifier_names(const std::vector<Modifier>& modifiers) {
    auto has = [&](Modifier modifier) { return std::ranges::find(modifiers, modifier) != modifiers.end(); };
    std::vector<std::string> names;
    if (has(Modifier::Alt)) names.emplace_back("Alt");
    if (has(Modifier::Control) || has(Modifier::ControlOrMeta)) names.emplace_back("ControlOrMeta");
    if (has(Modifier::Meta)) names.emplace_back("ControlOrMeta");
    if (has(Modifier::Shift)) names.emplace_back("Shift");
    return names;
}

std::string upper(std::string_view text) {
    std::string raised(text);
    for (char& c : raised) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    }
    return raised;
}

std::string capitalized(std::string_view text) {
    return upper(text.substr(0, 1)) + std::string(text.substr(1));
}

std::string list(const std::vector<std::string>& items,
                 const std::function<std::string(const std::string&)>& print) {
    std::vector<std::string> parts;
    parts.reserve(items.size());
    for (const std::string& item : items) parts.push_back(print(item));
    return join(parts, ", ");
}

std::string double_quoted(std::string_view text) { return quote(text, '"'); }
std::string quoted_list(const std::vector<std::string>& items, char mark) {
    return list(items, [mark](const std::string& item) { return quote(item, mark); });
}

// The arguments of a click that differ from the defaults; empty when none do.
struct ClickArguments {
    std::string button;
    std::vector<std::string> modifiers;
    std::string count;
    std::optional<std::pair<std::string, std::string>> position;

    explicit ClickArguments(const Action& action) : modifiers(modifier_names(action.click.modifiers)) {
        if (action.click.button != MouseButton::Left) button = button_name(action.click.button);
        // A double click has its own method.
        if (action.click.count > 2) count = std::to_string(action.click.count);
        if (action.position)
            position = {to_javascript(action.position->x), to_javascript(action.position->y)};
    }
    bool empty() const { return button.empty() && modifiers.empty() && count.empty() && !position; }
};

std::string javascript_click(const ClickArguments& click) {
    if (click.empty()) return {};
    std::vector<std::string> options;
    if (!click.button.empty()) options.push_back("button: " + quote(click.button));
    if (!click.count.empty()) options.push_back("clickCount: " + click.count);
    if (!click.modifiers.empty())
        options.push_back("modifiers: [" + quoted_list(click.modifiers, '\'') + "]");
    if (click.position)
        options.push_back("position: {\n    x: " + click.position->first +
                          ",\n    y: " + click.position->second + "\n  }");
    return "{\n  " + join(options, ",\n  ") + "\n}";
}

std::string python_click(const ClickArguments& click) {
    std::vector<std::string> arguments;
    if (!click.button.empty()) arguments.push_back("button=" + double_quoted(click.button));
    if (!click.count.empty()) arguments.push_back("click_count=" + click.count);
    if (!click.modifiers.empty())
        arguments.push_back("modifiers=[" + quoted_list(click.modifiers, '"') + "]");
    if (click.position)
        arguments.push_back("position={\"x\": " + click.position->first +
                            ", \"y\": " + click.position->second + "}");
    return join(arguments, ", ");
}

std::string java_click(const ClickArguments& click) {
    if (click.empty()) return {};
    std::string options = "new Locator.ClickOptions()";
    if (!click.button.empty()) options += "\n  .setButton(MouseButton." + upper(click.button) + ")";
    if (!click.modifiers.empty()) {
        auto constant = [](const std::string& name) { return "KeyboardModifier." + upper(name); };
        options += "\n  .setModifiers(Arrays.asList(" + list(click.modifiers, constant) + "))";
    }
    if (!click.count.empty()) options += "\n  .setClickCount(" + click.count + ")";
    if (click.position)
        options += "\n  .setPosition(" + click.position->first + ", " + click.position->second + ")";
    return options;
}

std::string csharp_click(const ClickArguments& click) {
    if (click.empty()) return {};
    std::string options = "new()\n{\n";
    if (!click.button.empty()) options += "    Button = MouseButton." + capitalized(click.button) + ",\n";
    if (!click.count.empty()) options += "    ClickCount = " + click.count + ",\n";
    if (!click.modifiers.empty()) {
        auto constant = [](const std::string& name) { return "KeyboardModifier." + name; };
        options += "    Modifiers = new[] { " + list(click.modifiers, constant) + " },\n";
    }
    if (click.position)
        options += "    Position = new() { X = " + click.position->first + ", Y = " + click.position->second +
                   " },\n";
    return options + "}";
}

std::string java_options(const std::vector<std::string>& options) {
    if (options.empty()) return "new String[0]";
    if (options.size() == 1) return double_quoted(options.front());
    return "new String[] {" + quoted_list(options, '"') + "}";
}

std::string java_files(const std::vector<std::string>& files) {
    auto path = [](const std::string& file) { return "Paths.get(" + double_quoted(file) + ")"; };
    if (files.empty()) return "new Path[0]";
    if (files.size() == 1) return path(files.front());
    return "new Path[] {" + list(files, path) + "}";
}

// One option, or a list of them.
std::string one_or_list(const std::vector<std::string>& options, char mark) {
    return options.size() == 1 ? quote(options.front(), mark) : "[" + quoted_list(options, mark) + "]";
}

// How a language writes each action.
struct Dialect {
    std::string_view before;  // a call
    std::string_view after;
    char mark;
    std::string_view navigate, click, double_click, hover, check, uncheck, fill, press, select, set_files;
    std::string (*click_arguments)(const ClickArguments&);
    std::string (*select_arguments)(const std::vector<std::string>&);
    std::string (*file_arguments)(const std::vector<std::string>&);
};

std::string javascript_list(const std::vector<std::string>& items) { return one_or_list(items, '\''); }
std::string python_list(const std::vector<std::string>& items) { return one_or_list(items, '"'); }
std::string csharp_list(const std::vector<std::string>& items) {
    return "new[] { " + quoted_list(items, '"') + " }";
}

const Dialect& dialect_of(Codegen language) {
    static const Dialect kJavaScript = {"await ",
                                        ";",
                                        '\'',
                                        "goto",
                                        "click",
                                        "dblclick",
                                        "hover",
                                        "check",
                                        "uncheck",
                                        "fill",
                                        "press",
                                        "selectOption",
                                        "setInputFiles",
                                        javascript_click,
                                        javascript_list,
                                        javascript_list};
    static const Dialect kPython = {
        "",          "",         '"',    "goto",  "click",         "dblclick",        "hover",
        "check",     "uncheck",  "fill", "press", "select_option", "set_input_files", python_click,
        python_list, python_list};
    static const Dialect kJava = {
        "",        ";",    '"',     "navigate",     "click",         "dblclick", "hover",      "check",
        "uncheck", "fill", "press", "selectOption", "setInputFiles", java_click, java_options, java_files};
    static const Dialect kCSharp = {"await ",
                                    ";",
                                    '"',
                                    "GotoAsync",
                                    "ClickAsync",
                                    "DblClickAsync",
                                    "HoverAsync",
                                    "CheckAsync",
                                    "UncheckAsync",
                                    "FillAsync",
                                    "PressAsync",
                                    "SelectOptionAsync",
                                    "SetInputFilesAsync",
                                    csharp_click,
                                    csharp_list,
                                    csharp_list};
    switch (language) {
        case Codegen::Python:
            return kPython;
        case Codegen::Java:
            return kJava;
        case Codegen::CSharp:
            return kCSharp;
        case Codegen::TypeScript:
        case Codegen::None:
            break;
    }
    return kJavaScript;
}

}  // namespace

std::string to_code(const Action& action, Codegen language) {
    using Kind = Action::Kind;
    const Dialect& dialect = dialect_of(language);
    auto call = [&](std::string_view method, const std::string& arguments) {
        std::string subject = std::string(dialect.before) + action.page + ".";
        if (action.kind != Kind::Navigate) subject += action.locator + ".";
        return subject + std::string(method) + "(" + arguments + ")" + std::string(dialect.after);
    };
    switch (action.kind) {
        case Kind::Navigate:
            return call(dialect.navigate, quote(action.text, dialect.mark));
        case Kind::Click:
            return call(action.click.count == 2 ? dialect.double_click : dialect.click,
                        dialect.click_arguments(ClickArguments(action)));
        case Kind::Hover:
            return call(dialect.hover, "");
        case Kind::Check:
            return call(dialect.check, "");
        case Kind::Uncheck:
            return call(dialect.uncheck, "");
        case Kind::Fill:
            return call(dialect.fill, quote(action.text, dialect.mark));
        case Kind::Press: {
            std::vector<std::string> keys = modifier_names(action.click.modifiers);
            keys.push_back(action.text);
            return call(dialect.press, quote(join(keys, "+"), dialect.mark));
        }
        case Kind::Select:
            return call(dialect.select, dialect.select_arguments(action.options));
        case Kind::SetFiles:
            return call(dialect.set_files, dialect.file_arguments(action.options));
    }
    return {};
}

std::string secret_code(std::string_view given, Codegen language) {
    std::string name(given);
    switch (language) {
        case Codegen::Python:
            return "os.environ[\"" + name + "\"]";
        case Codegen::Java:
            return "System.getenv(\"" + name + "\")";
        case Codegen::CSharp:
            return "Environment.GetEnvironmentVariable(\"" + name + "\")";
        case Codegen::TypeScript:
        case Codegen::None:
            break;
    }
    return "process.env['" + name + "']";
}

std::string secret_mark(std::string_view name) { return "SECRET_" + std::string(name); }

std::string with_secret_code(std::string code, const std::vector<std::string>& names, Codegen language) {
    for (const std::string& name : names) {
        for (char mark : {'\'', '"'}) {
            std::string from = mark + secret_mark(name) + mark;
            std::string to = secret_code(name, language);
            for (std::size_t at = code.find(from); at != std::string::npos;
                 at = code.find(from, at + to.size())) {
                code.replace(at, from.size(), to);
            }
        }
    }
    return code;
}

std::string_view fence_of(Codegen language) {
    switch (language) {
        case Codegen::Python:
            return "python";
        case Codegen::Java:
            return "java";
        case Codegen::CSharp:
            return "csharp";
        case Codegen::TypeScript:
        case Codegen::None:
            break;
    }
    return "js";
}

}  // namespace tools
