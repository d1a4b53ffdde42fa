// The command line: a command and flags.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/values.h"

namespace config {

enum class Command { Serve, Doctor, DoctorIsolation, ConfigPrint, ConfigSchema, Help, Version };

struct Arguments {
    Command command = Command::Serve;
    bool as_json = false;  // --json, for what prints
    std::vector<Assignment> assignments = {};
};

// Takes what stands behind the program's name. --help and --version end it where they stand.
Result<Arguments> parse_arguments(const std::vector<std::string>& arguments,
                                  const std::filesystem::path& directory);

}  // namespace config
