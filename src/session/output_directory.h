// Which directories a session's files may go to, and how full they may get.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>

#include "util/result.h"

namespace session {

// The whole disk, a user's home, and what a home is in: no workspace, whoever starts a program there.
bool is_too_wide(const std::filesystem::path& directory);

// For files that have no other place: `given` or "workspace" in the state directory, or one in the temporary
// directory where that cannot be made. Nobody but this user can use it.
std::filesystem::path private_directory(const std::filesystem::path& given = {});

// .playwright-mcp in the workspace is ours, or can be.
bool can_be_output(const std::filesystem::path& directory);
// Makes a directory for output. One that the operator chose and that is there already stays as it is, and is
// refused where everybody can write to it.
enum class ChosenBy { Us, Operator };
Result<void> ensure_output_directory(const std::filesystem::path& directory, ChosenBy chosen);

// Removes the oldest files below the directory until they have at most `limit` bytes; those in `keep` stay,
// and what clients named themselves in folders of their own.
void trim_directory(const std::filesystem::path& directory, std::uint64_t limit,
                    const std::set<std::filesystem::path>& keep);

// What the output directory is called in a workspace, and the folder in it with those of clients on the
// network.
inline constexpr std::string_view kOutputName = ".playwright-mcp";
inline constexpr std::string_view kClientsName = "clients";

}  // namespace session
