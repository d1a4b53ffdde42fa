// `troupe history`: shows the record to people, also while a server writes it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "util/result.h"

namespace cli {

struct HistoryCommand {
    std::string action = "list";         // list, show, diff, export, sql
    std::vector<std::string> refs = {};  // refs or prefixes of them; for sql, the statement
    // session, tool, text, since, until, limit; format, output
    std::map<std::string, std::string> flags = {};
    bool as_json = false;
};

// Returns the text to print. Reads all of several databases.
Result<std::string> run_history(const std::vector<std::filesystem::path>& databases,
                                const HistoryCommand& command);

}  // namespace cli
