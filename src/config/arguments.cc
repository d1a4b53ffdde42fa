#include "config/arguments.h"

#include <algorithm>
#include <optional>

#include "config/assign.h"
#include "util/strings.h"

namespace config {

namespace {

Error invalid(std::string message, std::string hint) {
    return Error{.code = ErrorCode::InvalidArgument, .message = std::move(message), .hint = std::move(hint)};
}

// What to use in place of flags that there are not, whatever is spelt like them.
struct Instead {
    std::string_view flag;
    std::string_view hint;
};
constexpr Instead kInstead[] = {
    {"transport",
     "The server talks over stdin and stdout, or with --port to HTTP, SSE and WebSocket clients."},
    {"session-id", "A call names its session by the argument sessionId: see --session-param."},
};

constexpr std::string_view kHistoryFlags[] = {"session", "tool",  "text",   "since",
                                              "until",   "limit", "format", "output"};

// `command` is the first word of the line so far; empty: none.
Error unknown_flag(std::string_view given, std::string_view command) {
    std::string name(given.substr(std::min(given.find_first_not_of('-'), given.size())));
    std::ranges::replace(name, '_', '-');
    std::string near, help = "See troupe --help.";
    if (command == "history") near = nearest_name(name, {std::begin(kHistoryFlags), std::end(kHistoryFlags)});
    auto instead = std::ranges::find(kInstead, name, &Instead::flag);
    if (near.empty() && instead != std::end(kInstead))
        help = std::string(instead->hint) + " " + help;
    else if (near.empty())
        near = nearest_flag(name);
    return invalid("Unknown flag " + std::string(given) + ".",
                   near.empty() ? help : "Did you mean --" + near + "? " + help);
}

bool is_flag(std::string_view argument) {
    if (!argument.starts_with("--")) return false;
    std::string_view name = argument.substr(2, argument.find('=') - 2);
    if (name.starts_with("no-") && find_by_flag(name.substr(3)) != nullptr) return true;
    return find_by_flag(name) != nullptr || name == "help" || name == "version";
}

Result<HistoryArguments> history_of(const std::vector<std::string>& words,
                                    std::map<std::string, std::string> flags) {
    const std::vector<std::string> actions = {"list", "show", "diff", "export", "sql"};
    HistoryArguments history{.flags = std::move(flags)};
    if (words.size() > 1) history.action = words[1];
    if (std::ranges::find(actions, history.action) == actions.end()) {
        std::string near = nearest_name(history.action, actions);
        return invalid(
            "Unknown command history " + history.action + ".",
            near.empty() ? "Say list, show, diff, export or sql." : "Did you mean history " + near + "?");
    }
    if (words.size() > 2) history.refs.assign(words.begin() + 2, words.end());
    bool fits = history.action == "show"   ? !history.refs.empty()
                : history.action == "diff" ? history.refs.size() == 2
                : history.action == "sql"  ? history.refs.size() == 1
                                           : history.refs.empty();
    if (!fits) {
        return invalid("troupe history " + history.action + " takes " +
                           (history.action == "show"   ? "refs"
                            : history.action == "diff" ? "two refs"
                            : history.action == "sql"  ? "one statement in quotes"
                                                       : "no refs") +
                           ".",
                       history.action == "sql"
                           ? "Like troupe history sql \"SELECT tool_name, result FROM calls\"."
                           : "troupe history list shows the refs there are.");
    }
    return history;
}

Result<Command> command_named(const std::vector<std::string>& words) {
    if (words.empty()) return Command::Serve;
    if (words[0] == "history") return Command::History;
    if (words[0] == "audit") {
        bool verifies = words.size() >= 2 && words.size() <= 3 && words[1] == "verify";
        if (verifies) return Command::AuditVerify;
        return invalid("troupe audit can verify one file.", "Say troupe audit verify [file].");
    }
    if (words[0] == "doctor" && words.size() == 1) return Command::Doctor;
    if (words[0] == "config") {
        if (words.size() == 1)
            return invalid("troupe config needs to know what to do.", "Say print or schema.");
        if (words.size() == 2 && words[1] == "print") return Command::ConfigPrint;
        if (words.size() == 2 && words[1] == "schema") return Command::ConfigSchema;
        if (words.size() == 2) {
            std::string near = nearest_name(words[1], {"print", "schema"});
            return invalid("Unknown command config " + words[1] + ".",
                           near.empty() ? "Say print or schema." : "Did you mean config " + near + "?");
        }
    }
    if (words[0] == "config" || words[0] == "doctor") {
        return invalid("Unexpected argument \"" + words.back() + "\" behind troupe " + words[0] + ".",
                       "See troupe --help.");
    }
    std::string near = nearest_name(words[0], {"doctor", "config", "history", "audit"});
    return invalid("Unknown command " + words[0] + ".",
                   near.empty() ? "See troupe --help." : "Did you mean " + near + "? See troupe --help.");
}

// Reads one flag after the other.
class Parser {
public:
    Parser(const std::vector<std::string>& arguments, const std::filesystem::path& directory)
        : arguments_(arguments), directory_(directory) {}

    Result<Arguments> run() {
        while (at_ < arguments_.size()) {
            const std::string& argument = arguments_[at_++];
            if (argument == "--help" || argument == "-h") return Arguments{.command = Command::Help};
            if (argument == "--version" || argument == "-V") return Arguments{.command = Command::Version};
            if (argument == "--json") {
                result_.as_json = true;
            } else if (argument.starts_with("--")) {
                TRY(flag(argument));
            } else if (argument.size() > 1 && argument.starts_with('-')) {
                return unknown_flag(argument, command());
            } else {
                words_.push_back(argument);
            }
        }
        result_.command = TRY(command_named(words_));
        if (result_.command == Command::Doctor && checks_isolation_)
            result_.command = Command::DoctorIsolation;
        if (result_.command == Command::AuditVerify && words_.size() == 3) result_.file = words_[2];
        if (result_.command == Command::History)
            result_.history = TRY(history_of(words_, std::move(history_flags_)));
        if (result_.as_json && result_.command != Command::ConfigPrint &&
            result_.command != Command::History) {
            return invalid("--json belongs to troupe config print and troupe history.", "Leave it out.");
        }
        return std::move(result_);
    }

private:
    std::string_view command() const { return words_.empty() ? std::string_view() : words_.front(); }

    Result<void> flag(std::string_view argument) {
        std::size_t equals = argument.find('=');
        std::string_view name = argument.substr(2, equals == std::string_view::npos ? equals : equals - 2);
        std::optional<std::string_view> value;
        if (equals != std::string_view::npos) value = argument.substr(equals + 1);
        Origin origin{.layer = Layer::Flag, .name = "--" + std::string(name)};

        if (!words_.empty() && words_[0] == "history" &&
            std::ranges::find(kHistoryFlags, name) != std::end(kHistoryFlags)) {
            if (!value && at_ == arguments_.size()) return invalid(origin.name + " needs a value.", "");
            history_flags_[std::string(name)] = value ? std::string(*value) : arguments_[at_++];
            return ok();
        }
        const Option* option = find_by_flag(name);
        if (option == nullptr && name.starts_with("no-")) {
            option = find_by_flag(name.substr(3));
            if (option == nullptr || option->type != Type::Bool) return unknown_flag(origin.name, command());
            if (value) return invalid(origin.name + " takes no value.", "Write it without the =.");
            return assign(result_.assignments, *option, false, origin, directory_);
        }
        if (option == nullptr) return unknown_flag(origin.name, command());
        if (!takes_value(*option)) return text(*option, value.value_or("true"), origin);
        // After the doctor command, --isolation requests a check, and its value is optional.
        if (name == "isolation" && !words_.empty() && words_[0] == "doctor") {
            checks_isolation_ = true;
            bool named = at_ < arguments_.size() && !arguments_[at_].starts_with('-');
            if (!value && !named) return ok();
        }
        if (value) return text(*option, *value, origin);
        if (at_ == arguments_.size() || is_flag(arguments_[at_])) {
            return invalid(origin.name + " needs a value.",
                           "Write " + origin.name + " " + std::string(option->value) + ".");
        }
        TRY(text(*option, arguments_[at_++], origin));
        while (takes_several(*option) && at_ < arguments_.size() && !arguments_[at_].starts_with('-')) {
            TRY(text(*option, arguments_[at_++], origin));
        }
        return ok();
    }

    Result<void> text(const Option& option, std::string_view value, const Origin& origin) {
        return assign_text(result_.assignments, option, option.key, value, origin, directory_);
    }

    const std::vector<std::string>& arguments_;
    const std::filesystem::path& directory_;
    std::size_t at_ = 0;
    std::vector<std::string> words_;
    std::map<std::string, std::string> history_flags_;
    bool checks_isolation_ = false;
    Arguments result_;
};

}  // namespace

Result<Arguments> parse_arguments(const std::vector<std::string>& arguments,
                                  const std::filesystem::path& directory) {
    return Parser(arguments, directory).run();
}

}  // namespace config
