// `troupe history`: the record for people, also while a server writes it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "util/result.h"

namespace record {

struct HistoryCommand {
    std::string action = "list";  // list, show, diff, export
    std::vector<std::string> refs = {};
    // session, tool, text, since, until, limit; format, output
    std::map<std::string, std::string> flags = {};
    bool as_json = false;
};

// Gives what is to be printed. Of several databases all are looked at.
Result<std::string> run_history(const std::vector<std::filesystem::path>& databases,
                                const HistoryCommand& command);

// The databases of one user: the named one, or record.db and its neighbours in `directory`.
std::vector<std::filesystem::path> find_databases(const std::filesystem::path& directory);

}  // namespace record
