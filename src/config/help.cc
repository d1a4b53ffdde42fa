#include "config/help.h"

#include <string_view>

#include "config/table.h"
#include "util/strings.h"

namespace config {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kColumn = 34;  // start of the explanations

constexpr char kTiedSpace = '\t';  // a space without a line break

// Appends words from `column` on, breaking lines before kWidth; the caller has filled the line up to there.
void append_wrapped(std::string& out, std::string_view text, std::size_t column) {
    std::size_t at = column;
    for (const std::string& word : split(text, ' ')) {
        if (at > column && at + 1 + word.size() > kWidth) {
            out += '\n';
            out.append(column, ' ');
            at = column;
        } else if (at > column) {
            out += ' ';
            ++at;
        }
        for (char c : word) out += c == kTiedSpace ? ' ' : c;
        at += word.size();
    }
    out += '\n';
}

void append_entry(std::string& out, std::string_view name, std::string_view text) {
    std::string line = "  " + std::string(name);
    if (line.size() + 2 > kColumn) {
        out += line + "\n";
        line.clear();
    }
    line.resize(kColumn, ' ');
    out += line;
    append_wrapped(out, text, kColumn);
}

std::string name_of(const Option& option) {
    // Shows --no-x where it differs from leaving the flag out.
    bool three_ways = option.type == Type::Bool && option.default_value != "false";
    std::string name = (three_ways ? "--[no-]" : "--") + std::string(option.flag);
    if (!option.value.empty()) name += " " + std::string(option.value);
    return name;
}

std::string text_of(const Option& option) {
    std::string text(option.help);
    std::string choice = option.type == Type::Choice ? join(choices(option), ", ") : "";
    bool by_default = !option.default_value.empty() && option.type != Type::Bool;
    if (choice.empty() && !by_default) return text;
    text += " [" + choice;
    if (!choice.empty() && by_default) text += "; ";
    if (by_default) text += std::string("default") + kTiedSpace + std::string(option.default_value);
    return text + "]";
}

bool is_shown(const Option& option) { return !option.flag.empty() && !option.hidden; }

}  // namespace

std::string help() {
    std::string out =
        "Troupe lets AI agents use real browsers over the Model Context Protocol.\n"
        "\n"
        "Usage: troupe [command] [flags]\n"
        "\n"
        "Commands\n";
    append_entry(out, "troupe", "Serve one client over stdin and stdout, or many over HTTP with --port.");
    append_entry(out, "troupe doctor",
                 "Check browser, directories, ports and sandbox, and say what to repair.");
    append_entry(out, "troupe doctor --isolation [how]",
                 "Check with real browsers that sessions cannot get at each other's state.");
    append_entry(out, "troupe config print",
                 "Show every option's value and where it comes from; --json for programs.");
    append_entry(out, "troupe config schema", "Print the JSON Schema of the configuration file.");

    append_entry(
        out, "troupe history [list]",
        "List recorded calls; --session, --tool, --text, --since, --until, --limit choose, --json for "
        "programs.");
    append_entry(out, "troupe history show <ref...>",
                 "Show calls: what was asked, answered and seen. Of a ref, its beginning is enough.");
    append_entry(out, "troupe history diff <ref> <ref>", "Show what changed on the page between two calls.");
    append_entry(
        out, "troupe history sql <statement>",
        "Run a SELECT over sessions, requests, responses, console_logs, or calls with all of a call.");
    append_entry(out, "troupe history export",
                 "Print a session (--session, else the last) as --format playwright-test or har; --output "
                 "names a file.");

    append_entry(out, "troupe audit verify [file]",
                 "Check that the audit log is as it was written, and say where it is not.");

    std::string_view group;
    for (const Option& option : kOptions) {
        if (!is_shown(option)) continue;
        if (option.group != group) {
            group = option.group;
            out += "\n" + std::string(group) + "\n";
            if (group == "General") {
                append_entry(out, "-h, --help", "Show this text.");
                append_entry(out, "-V, --version", "Show the version.");
            }
        }
        append_entry(out, name_of(option), text_of(option));
    }

    out += "\n";
    append_wrapped(
        out,
        "Times are in milliseconds. Every flag can also be an environment variable, --user-data-dir as "
        "TROUPE_USER_DATA_DIR, and nearly every one a key of the --config file; flags win over the "
        "environment, that over the file. The flags of @playwright/mcp, its PLAYWRIGHT_MCP_* variables and "
        "its configuration files work unchanged.",
        0);
    return out;
}

}  // namespace config
