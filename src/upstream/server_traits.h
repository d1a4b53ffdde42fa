// Which command-line options of Playwright's server the server behind us understands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"

namespace upstream {

struct ServerTraits {
    bool isolated = false;         // --isolated: a browser profile in memory
    bool user_data_dir = false;    // --user-data-dir <path>
    bool shared_context = false;   // --shared-browser-context
    bool config = false;           // --config <path>
    bool context_options = false;  // --viewport-size and --user-agent

    bool operator==(const ServerTraits&) const = default;

    // Microsoft's own server.
    static ServerTraits playwright();
    // Parses the output of a server's --help.
    static ServerTraits from_help(std::string_view help);
    static ServerTraits from_json(const json::object& object);
    json::object to_json() const;
};

// Whether the command starts Microsoft's own package, whose options are known without asking.
bool is_playwright_package(const std::vector<std::string>& command);

// Whether the command itself says which browser or profile to use.
bool names_profile(const std::vector<std::string>& command);

}  // namespace upstream
