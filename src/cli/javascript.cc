#include "cli/javascript.h"

#include <optional>
#include <utility>

namespace cli {
namespace {

constexpr std::string_view kMark = "<secret>", kMarkEnd = "</secret>";

struct Token {
    enum class Kind { Word, String, Template, Other } kind;
    std::string_view text;
};

bool is_word(char c) {
    auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || c == '_' || c == '$' || byte >= 0x80;
}

// Takes tokens off the front, one at a time.
class Lexer {
public:
    explicit Lexer(std::string_view code) : code_(code) {}

    std::vector<Token> run() {
        while (at_ < code_.size()) take();
        return std::move(tokens_);
    }

private:
    void take() {
        char c = code_[at_], next = at_ + 1 < code_.size() ? code_[at_ + 1] : '\0';
        if (c == '\'' || c == '"') return add(Token::Kind::String, end_of_string(c));
        if (c == '`') return take_template(at_ + 1);
        if (c == '}' && !braces_.empty() && braces_.back() == 0) {
            braces_.pop_back();
            return take_template(at_ + 1);
        }
        if (c == '/' && next == '/') return add(Token::Kind::Other, code_.find('\n', at_));
        if (c == '/' && next == '*') return add(Token::Kind::Other, after(code_.find("*/", at_ + 2), 2));
        if (c == '/' && begins_value()) return add(Token::Kind::Other, end_of_string('/'));
        if (is_word(c)) {
            std::size_t end = at_;
            while (end < code_.size() && is_word(code_[end])) ++end;
            return add(Token::Kind::Word, end);
        }
        if (!braces_.empty() && (c == '{' || c == '}')) braces_.back() += c == '{' ? 1 : -1;
        add(Token::Kind::Other, at_ + 1);
    }

    static std::size_t after(std::size_t found, std::size_t size) {
        return found == std::string_view::npos ? found : found + size;
    }
    std::size_t end_of_string(char mark) const {
        std::size_t end = at_ + 1;
        while (end < code_.size() && code_[end] != mark) end += code_[end] == '\\' ? 2 : 1;
        return end + 1;
    }
    // Takes a template to its end, or to the code inside.
    void take_template(std::size_t from) {
        std::size_t end = from;
        for (; end < code_.size() && code_[end] != '`'; end += code_[end] == '\\' ? 2 : 1) {
            if (!code_.substr(end).starts_with("${")) continue;
            braces_.push_back(0);
            return add(Token::Kind::Template, end + 2);
        }
        add(Token::Kind::Template, end + 1);
    }
    // A slash that cannot be a division begins a regular expression.
    bool begins_value() const {
        for (auto it = tokens_.rbegin(); it != tokens_.rend(); ++it) {
            char last = it->text.back();
            if (last == ' ' || last == '\n') continue;
            return it->kind == Token::Kind::Other && std::string_view("(,=:[!&|?{};+").contains(last);
        }
        return true;
    }
    void add(Token::Kind kind, std::size_t end) {
        end = std::min(end, code_.size());
        tokens_.push_back({kind, code_.substr(at_, end - at_)});
        at_ = end;
    }

    std::string_view code_;
    std::size_t at_ = 0;
    std::vector<int> braces_;  // open ones in the code inside of templates
    std::vector<Token> tokens_;
};

bool is_blank(const Token& token) { return token.text.find_first_not_of(" \n\t") == token.text.npos; }

// Whether the name is the member of an object, or a key.
bool is_member(const std::vector<Token>& tokens, std::size_t at) {
    std::size_t before = at;
    while (before > 0 && is_blank(tokens[before - 1])) --before;
    auto is_dot = [&](std::size_t back) { return before >= back && tokens[before - back].text == "."; };
    if (is_dot(1) && !(is_dot(2) && is_dot(3))) return true;
    std::size_t after = at + 1;
    while (after < tokens.size() && is_blank(tokens[after])) ++after;
    return after < tokens.size() && tokens[after].text == ":";
}

// The tokens of a script, apart from spaces and comments.
class ScriptTokens {
public:
    explicit ScriptTokens(std::string_view script) {
        bool breaks = false;
        for (const Token& token : Lexer(script).run()) {
            bool is_comment = token.kind == Token::Kind::Other &&
                              (token.text.starts_with("//") || token.text.starts_with("/*"));
            if (is_comment || is_blank(token)) {
                breaks |= token.text.contains('\n');
                continue;
            }
            tokens_.push_back({token, std::exchange(breaks, false)});
        }
    }

    Script kind() const {
        if (is_function()) return Script::Function;
        return is_statements() ? Script::Statements : Script::Expression;
    }

private:
    struct Placed {
        Token token;
        bool is_on_new_line;
    };

    bool is(std::size_t at, std::string_view text) const {
        return at < tokens_.size() && tokens_[at].token.text == text &&
               tokens_[at].token.kind != Token::Kind::String;
    }
    bool is_word_at(std::size_t at) const {
        return at < tokens_.size() && tokens_[at].token.kind == Token::Kind::Word;
    }
    static int depth_of(const Token& token) {
        if (token.kind == Token::Kind::Template) {
            bool opens = token.text.ends_with("${"), closes = token.text.starts_with('}');
            return opens == closes ? 0 : opens ? 1 : -1;
        }
        if (token.kind != Token::Kind::Other || token.text.size() != 1) return 0;
        if (std::string_view("([{").contains(token.text.front())) return 1;
        return std::string_view(")]}").contains(token.text.front()) ? -1 : 0;
    }
    // The token that closes the bracket at `at`; the number of tokens when none does.
    std::size_t end_of(std::size_t at) const {
        int depth = 0;
        for (; at < tokens_.size(); ++at) {
            depth += depth_of(tokens_[at].token);
            if (depth == 0) return at;
        }
        return at;
    }

    bool is_function() const {
        std::size_t at = is(0, "async") && !is(1, "=") ? 1 : 0;
        if (is(at, "function")) {
            while (at < tokens_.size() && !is(at, "(")) ++at;
            at = end_of(at) + 1;
            return is(at, "{") && end_of(at) + 1 == tokens_.size();
        }
        if (is(at, "("))
            at = end_of(at) + 1;
        else if (is_word_at(at))
            ++at;
        else
            return false;
        if (!is(at, "=") || !is(at + 1, ">")) return false;
        at += 2;
        if (is(at, "{")) return end_of(at) + 1 == tokens_.size();
        return at < tokens_.size() && !has_several(at);
    }

    // Whether a new line begins a statement at this token, as far as its neighbours tell.
    bool begins_statement(std::size_t at) const {
        if (!tokens_[at].is_on_new_line) return false;
        auto is_end = [&](const Token& token) {
            return token.kind != Token::Kind::Other || std::string_view(")]}").contains(token.text.front());
        };
        return is_end(tokens_[at - 1].token) && tokens_[at].token.kind != Token::Kind::Other;
    }
    bool has_several(std::size_t from) const {
        int depth = 0;
        for (std::size_t at = from; at < tokens_.size(); ++at) {
            if (depth == 0 && (is(at, ";") || (at > from && begins_statement(at)))) return true;
            depth += depth_of(tokens_[at].token);
        }
        return false;
    }
    bool is_statements() const {
        static constexpr std::string_view kWords[] = {
            "const",  "let",   "var",   "if", "for",  "while", "do",       "switch",  "try",
            "return", "throw", "class", "{",  "with", "break", "debugger", "function"};
        for (std::string_view word : kWords) {
            if (is(0, word)) return true;
        }
        return tokens_.empty() || has_several(0);
    }

    std::vector<Placed> tokens_;
};

struct Mark {
    std::size_t begin, end;
    std::string_view name;
};

std::optional<Mark> find_mark(std::string_view text, std::size_t from) {
    std::size_t begin = text.find(kMark, from), end = text.find(kMarkEnd, begin);
    if (begin == text.npos || end == text.npos) return std::nullopt;
    std::size_t name = begin + kMark.size();
    return Mark{begin, end + kMarkEnd.size(), text.substr(name, end - name)};
}

// 'a<secret>NAME</secret>b' as 'a' + process.env.NAME + 'b'.
std::string string_with_environment(std::string_view text, const VariableOf& variable_of) {
    std::string quote(1, text.front()), code;
    std::size_t at = 1;
    auto append = [&](const std::string& part) { code += (code.empty() ? "" : " + ") + part; };
    for (auto mark = find_mark(text, at); mark; mark = find_mark(text, at)) {
        if (mark->begin > at) append(quote + std::string(text.substr(at, mark->begin - at)) + quote);
        append(environment_variable(variable_of(mark->name)));
        at = mark->end;
    }
    if (at + 1 < text.size()) append(quote + std::string(text.substr(at)));
    return code;
}

std::string template_with_environment(std::string_view text, const VariableOf& variable_of) {
    std::string code;
    std::size_t at = 0;
    for (auto mark = find_mark(text, at); mark; mark = find_mark(text, at)) {
        code.append(text.substr(at, mark->begin - at));
        code += "${" + environment_variable(variable_of(mark->name)) + "}";
        at = mark->end;
    }
    return code.append(text.substr(at));
}

}  // namespace

std::string with_variable_renamed(std::string_view code, std::string_view from, std::string_view to) {
    if (from == to) return std::string(code);
    std::vector<Token> tokens = Lexer(code).run();
    std::string renamed;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        bool is_variable =
            tokens[i].kind == Token::Kind::Word && tokens[i].text == from && !is_member(tokens, i);
        renamed += is_variable ? to : tokens[i].text;
    }
    return renamed;
}

std::string with_environment(std::string_view code, const VariableOf& variable_of) {
    std::string changed;
    for (const Token& token : Lexer(code).run()) {
        bool is_marked = token.text.contains(kMark);
        if (is_marked && token.kind == Token::Kind::String)
            changed += string_with_environment(token.text, variable_of);
        else if (is_marked && token.kind == Token::Kind::Template)
            changed += template_with_environment(token.text, variable_of);
        else
            changed += token.text;
    }
    return changed;
}

std::vector<std::string_view> strings_of(std::string_view code) {
    std::vector<std::string_view> strings;
    for (const Token& token : Lexer(code).run()) {
        if (token.kind == Token::Kind::String) strings.push_back(token.text);
    }
    return strings;
}

std::string with_last_string(std::string_view code, std::string_view replacement) {
    std::vector<std::string_view> strings = strings_of(code);
    std::string changed(code);
    if (!strings.empty()) {
        auto at = static_cast<std::size_t>(strings.back().data() - code.data());
        changed.replace(at, strings.back().size(), replacement);
    }
    return changed;
}

std::string indented(std::string_view code) {
    constexpr std::string_view kIndent = "  ";
    std::string text;
    bool begins_line = true;
    for (const Token& token : Lexer(code).run()) {
        for (char c : token.text) {
            if (begins_line && c != '\n') text += kIndent;
            text += c;
            begins_line = c == '\n' && token.kind != Token::Kind::Template;
        }
    }
    return text;
}

Script kind_of_script(std::string_view script) { return ScriptTokens(script).kind(); }

std::string environment_variable(std::string_view name) {
    bool is_plain = !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front()));
    for (char c : name) is_plain = is_plain && static_cast<unsigned char>(c) < 0x80 && is_word(c);
    std::string text(name);
    return is_plain ? "process.env." + text : "process.env['" + text + "']";
}

}  // namespace cli
