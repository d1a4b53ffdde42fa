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

// The arguments of troupe history.
struct HistoryArguments {
    std::string action = "list";  // list, show, diff, export
    std::vector<std::string> refs = {};
    std::map<std::string, std::string> flags = {};  // flags of this command only, by name
};

struct Arguments {
    Command command = Command::Serve;
    bool as_json = false;  // --json, for commands that print
    HistoryArguments history = {};
    std::string file = {};  // the file for troupe audit verify; empty: the default
    std::vector<Assignment> assignments = {};
};

// Parses the arguments after the program's name. --help and --version stop the parsing.
Result<Arguments> parse_arguments(const std::vector<std::string>& arguments,
                                  const std::filesystem::path& directory);

}  // namespace config
