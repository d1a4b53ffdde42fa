#include <array>

#include "tools/browser_tools.h"
#include "util/strings.h"

namespace session {

constexpr auto enum_names(ConsoleLevel) {
    return std::to_array<schema::EnumName<ConsoleLevel>>({{ConsoleLevel::Error, "error"},
                                                          {ConsoleLevel::Warning, "warning"},
                                                          {ConsoleLevel::Info, "info"},
                                                          {ConsoleLevel::Debug, "debug"}});
}

}  // namespace session

namespace tools {
namespace {

using session::ConsoleLevel;
using session::ConsoleSince;

struct ConsoleParams {
    ConsoleLevel level = ConsoleLevel::Info;
    std::optional<bool> all;
    std::optional<std::string> filename;
};

Task<> console_messages(Tab& tab, ConsoleParams params, Response& response) {
    session::ConsoleCounts counts = session::count_console(tab.page());
    ConsoleSince since = params.all.value_or(false) ? ConsoleSince::Beginning : ConsoleSince::Navigation;
    std::vector<std::string> messages = session::console_lines(tab.page(), params.level, since);
    std::string text = "Total messages: " + std::to_string(counts.total) +
                       " (Errors: " + std::to_string(counts.errors) +
                       ", Warnings: " + std::to_string(counts.warnings) + ")\n";
    if (messages.size() != counts.total) {
        text += "Returning " + std::to_string(messages.size()) + " messages for level \"" +
                std::string(schema::name_of(params.level)) + "\"\n";
    }
    for (const std::string& message : messages) text += "\n" + message;
    co_await response.add_result(
        "Console", text, {.prefix = "console", .extension = "log", .given = params.filename.value_or("")});
}

}  // namespace

std::vector<Tool> console_tools(const SessionResolver& sessions) {
    return {
        tab_tool<ConsoleParams>(sessions,
                                {
                                    .name = "browser_console_messages",
                                    .title = "Get console messages",
                                    .description = "Show what the page logged, uncaught errors included.",
                                    .effect = Effect::ReadsPage,
                                    .params =
                                        {
                                            {"level",
                                             &ConsoleParams::level,
                                             "Least severe messages to show.",
                                             {.default_value = "info"}},
                                            {"all", &ConsoleParams::all,
                                             "Since the tab was opened, not only since the last navigation."},
                                            {"filename", &ConsoleParams::filename, kFileHelp},
                                        },
                                    .handler = console_messages,
                                }),
    };
}

}  // namespace tools
