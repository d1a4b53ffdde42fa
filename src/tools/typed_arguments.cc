#include "tools/typed_arguments.h"

#include <algorithm>
#include <array>
#include <functional>

#include "util/strings.h"

namespace tools {
namespace {

constexpr std::string_view kWithheld = "<withheld>", kPassword = "<secret>password</secret>",
                           kMark = "<secret>", kMarkEnd = "</secret>";

struct TypingTool {
    std::string_view name;
    std::string_view list;  // the argument whose items have the text; empty: the arguments themselves
    std::string_view text;
};
constexpr TypingTool kTypingTools[] = {
    {"browser_type", "", "text"},
    {"browser_fill_form", "fields", "value"},
    {"browser_press_key", "", "key"},
    {"type", "", "text"},
    {"fill", "", "value"},
    {"press", "", "key"},
    // What is compared with a field is what was typed into it.
    {"browser_verify_value", "", "value"},
    // Of other servers.
    {"fill_form", "elements", "value"},
    {"press_key", "", "key"},
    {"type_text", "", "text"},
};

// Another server's tool may be offered under a name of its own.
const TypingTool* find(std::string_view tool) {
    constexpr std::string_view kOfOtherServer = "upstream_";
    if (tool.starts_with(kOfOtherServer)) tool.remove_prefix(kOfOtherServer.size());
    auto found = std::ranges::find(kTypingTools, tool, &TypingTool::name);
    return found == std::end(kTypingTools) ? nullptr : found;
}

// The field's name in the arguments.
std::string field_of(const json::object& arguments) {
    std::string field;
    for (std::string_view key : {"element", "target", "ref", "selector", "name"})
        field.append(json::find_string(arguments, key).value_or("")).append(" ");
    return to_lower(field);
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// Similar to the names in src/page/secret_fields.js.
bool is_password_name(std::string_view field) {
    constexpr std::string_view kParts[] = {"passw",         "passphrase",        "passcode",   "pwd",
                                           "kennwort",      "contrase",          "secret",     "token",
                                           "api key",       "api_key",           "api-key",    "apikey",
                                           "one-time",      "one time",          "wachtwoord", "mot de passe",
                                           "security code", "verification code", "card number"};
    constexpr std::string_view kWords[] = {"pw", "pin", "otp", "mfa", "2fa", "cvv", "cvc", "csc"};
    if (std::ranges::any_of(kParts, [&](std::string_view part) { return field.contains(part); })) return true;
    return std::ranges::any_of(kWords, [&](std::string_view word) {
        for (std::size_t at = field.find(word); at != field.npos; at = field.find(word, at + 1)) {
            std::size_t end = at + word.size();
            if ((at == 0 || !is_letter(field[at - 1])) && (end == field.size() || !is_letter(field[end])))
                return true;
        }
        return false;
    });
}

// The name of a key types no text.
bool writes(const TypingTool& tool, std::string_view text) {
    return tool.text != "key" || utf8_sequence_length(text) == text.size();
}

void visit(std::string_view name, json::value& arguments,
           const std::function<void(json::value& text, const json::object& of)>& change) {
    const TypingTool* tool = find(name);
    json::object* given = arguments.if_object();
    if (!tool || !given) return;
    auto look_at = [&](json::object& holder) {
        json::value* text = holder.if_contains(tool->text);
        // A box that is ticked or an option that is chosen is no text.
        if (json::find_string(holder, "type").value_or("textbox") != "textbox") return;
        if (text && text->is_string() && writes(*tool, text->get_string())) change(*text, holder);
    };
    if (tool->list.empty()) return look_at(*given);
    json::value* list = given->if_contains(tool->list);
    if (!list || !list->is_array()) return;
    for (json::value& item : list->get_array()) {
        if (json::object* holder = item.if_object()) look_at(*holder);
    }
}

}  // namespace

bool types_text(std::string_view tool) { return find(tool) != nullptr; }

std::vector<std::string> typed_texts(std::string_view tool, json::value arguments) {
    std::vector<std::string> texts;
    visit(tool, arguments,
          [&](json::value& text, const json::object&) { texts.emplace_back(text.get_string()); });
    return texts;
}

bool types_key(std::string_view tool) {
    const TypingTool* found = find(tool);
    return found && found->text == "key";
}

json::value without_typed(std::string_view tool, json::value arguments) {
    visit(tool, arguments, [](json::value& text, const json::object&) { text = kWithheld; });
    return arguments;
}

json::value without_passwords(std::string_view tool, json::value arguments,
                              session::TypedPasswords& passwords) {
    visit(tool, arguments, [&](json::value& text, const json::object& of) {
        std::string typed(text.get_string());
        if (typed.starts_with(kMark) && typed != kPassword) return;
        bool is_private = passwords.holds(typed) || is_password_name(field_of(of));
        if (!is_private) return;
        passwords.add(std::move(typed));
        text = kPassword;
    });
    return arguments;
}

json::value with_secret_marks(std::string_view tool, json::value arguments, const session::Secrets& secrets) {
    const TypingTool* typing = find(tool);
    if (!typing || typing->text == "key") return arguments;
    visit(tool, arguments, [&](json::value& text, const json::object&) {
        std::string name(text.get_string());
        if (secrets.find(name)) text = std::string(kMark) + name + std::string(kMarkEnd);
    });
    return arguments;
}

}  // namespace tools
