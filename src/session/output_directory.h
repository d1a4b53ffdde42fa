// Which directories a session's files may go to, and how full they may get.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>

#include "util/result.h"

namespace session {

// Whether it is the whole disk, a user's home, or a directory above one: never a workspace.
bool is_too_wide(const std::filesystem::path& directory);

// For files that have no other place: `given` or "workspace" in the state directory, or one in the temporary
// directory when that cannot be created. Only this user can use it.
std::filesystem::path private_directory(const std::filesystem::path& given = {});

// Whether .playwright-mcp in the workspace is ours, or can be.
bool can_be_output(const std::filesystem::path& directory);
enum class ChosenBy { Us, Operator };
// Creates a directory for output. An existing one that the operator chose stays as it is, and is refused when
// everybody can write to it.
Result<void> ensure_output_directory(const std::filesystem::path& directory, ChosenBy chosen);

// Removes the oldest files below the directory until they have at most `limit` bytes; keeps those in `keep`,
// and files that clients named in their own folders.
void trim_directory(const std::filesystem::path& directory, std::uint64_t limit,
                    const std::set<std::filesystem::path>& keep);

// Names of the output directory in a workspace, and of the folder in it for network clients.
inline constexpr std::string_view kOutputName = ".playwright-mcp";
inline constexpr std::string_view kClientsName = "clients";

}  // namespace session
