#include "tools/assertions.h"

#include "tools/source_text.h"
#include "util/strings.h"

namespace tools {
namespace {

using session::Codegen;

// How a language writes each assertion.
struct Dialect {
    std::string_view before, after;  // around the locator
    std::string_view negation, end;
    char mark;
    std::string_view visible, empty, value, checked, snapshot;
};

const Dialect& dialect_of(Codegen language) {
    static constexpr Dialect kJavaScript{
        "await expect(page.", ").",        "not.",        ";",           '\'',
        "toBeVisible",        "toBeEmpty", "toHaveValue", "toBeChecked", "toMatchAriaSnapshot"};
    static constexpr Dialect kPython{"expect(page.",
                                     ").",
                                     "not_",
                                     "",
                                     '"',
                                     "to_be_visible",
                                     "to_be_empty",
                                     "to_have_value",
                                     "to_be_checked",
                                     "to_match_aria_snapshot"};
    static constexpr Dialect kJava{
        "assertThat(page.", ").",      "not().",   ";",         '"',
        "isVisible",        "isEmpty", "hasValue", "isChecked", "matchesAriaSnapshot"};
    static constexpr Dialect kCSharp{"await Expect(page.",
                                     ").",
                                     "Not.",
                                     ";",
                                     '"',
                                     "ToBeVisibleAsync",
                                     "ToBeEmptyAsync",
                                     "ToHaveValueAsync",
                                     "ToBeCheckedAsync",
                                     "ToMatchAriaSnapshotAsync"};
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

// JavaScript has multi-line string literals.
std::string tree_literal(const std::string& tree, Codegen language) {
    if (language != Codegen::TypeScript && language != Codegen::None) return quote(tree, '"');
    std::string literal = "`\n";
    for (const std::string& line : split(tree, '\n')) {
        literal += "  ";
        for (std::size_t i = 0; i < line.size(); ++i) {
            bool special = line[i] == '`' || line[i] == '\\' || line.substr(i, 2) == "${";
            literal += (special ? "\\" : "") + std::string(1, line[i]);
        }
        literal += '\n';
    }
    return literal + "  `";
}

}  // namespace

std::string to_code(const Assertion& assertion, Codegen language) {
    using Kind = Assertion::Kind;
    const Dialect& dialect = dialect_of(language);
    auto call = [&](std::string_view method, const std::string& argument = {},
                    std::string_view negation = {}) {
        return std::string(dialect.before) + assertion.locator + std::string(dialect.after) +
               std::string(negation) + std::string(method) + "(" + argument + ")" + std::string(dialect.end);
    };
    switch (assertion.kind) {
        case Kind::Visible:
            return call(dialect.visible);
        case Kind::Value:
            return assertion.text.empty() ? call(dialect.empty)
                                          : call(dialect.value, quote(assertion.text, dialect.mark));
        case Kind::Checked:
            return call(dialect.checked);
        case Kind::Unchecked:
            return call(dialect.checked, "", dialect.negation);
        case Kind::Snapshot:
            return call(dialect.snapshot, tree_literal(assertion.text, language));
    }
    return {};
}

}  // namespace tools
