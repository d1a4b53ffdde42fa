// Reads and writes whole files, and finds this user's directories.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "util/result.h"

Result<std::string> read_file(const std::filesystem::path& file);
// Reads the rest of an open file; `file` is its name in errors.
Result<std::string> read_all(int descriptor, const std::filesystem::path& file);
// Writes a temporary file and renames it, so that readers never see a partial file. Mode 0600.
Result<void> write_file(const std::filesystem::path& file, std::string_view text);

// The variable's value, empty when unset.
std::string environment(const char* name);
std::filesystem::path home_directory();
// $XDG_STATE_HOME/troupe, by default ~/.local/state/troupe. Not created here.
std::filesystem::path state_directory();
// $XDG_CACHE_HOME/troupe, by default ~/.cache/troupe. Not created here.
std::filesystem::path cache_directory();
// The path of a program, searched along PATH; empty when there is none.
std::filesystem::path find_program(std::string_view name);
