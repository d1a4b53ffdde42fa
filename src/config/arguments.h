// The command line: a command and flags.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/values.h"

namespace config {

enum class Command {
    Serve,
    Doctor,
    DoctorIsolation,
    ConfigPrint,
    ConfigSchema,
    History,
    AuditVerify,
    Help,
    Version
};

// What troupe history is to do.
struct HistoryArguments {
    std::string action = "list";  // list, show, diff, export
    std::vector<std::string> refs = {};
    std::map<std::string, std::string> flags = {};  // those of this command only, by name
};

struct Arguments {
    Command command = Command::Serve;
    bool as_json = false;  // --json, for what prints
    HistoryArguments history = {};
    std::string file = {};  // that troupe audit verify is to look at; empty: the usual one
    std::vector<Assignment> assignments = {};
};

// Takes what stands behind the program's name. --help and --version end it where they stand.
Result<Arguments> parse_arguments(const std::vector<std::string>& arguments,
                                  const std::filesystem::path& directory);

}  // namespace config
