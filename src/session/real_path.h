// Paths with all links followed, and files opened so that no link can redirect them meanwhile.
#pragma once

#include <filesystem>
#include <sys/types.h>

#include "util/result.h"
#include "util/spawn.h"

namespace session {

// The target of an absolute path. Dangling links are followed, too: a file created there goes to their
// target. Fails when the target cannot be determined.
Result<std::filesystem::path> real_path(const std::filesystem::path& path);

bool is_inside(const std::filesystem::path& directory, const std::filesystem::path& file);

// Opens a plain file at an absolute path that has no links; `flags` are those of open(2). Fails with
// PolicyDenied when there is a link now.
Result<Descriptor> open_without_links(const std::filesystem::path& file, int flags, mode_t mode = 0600);
// Opens a directory at such a path, to open files below it; creates it and its parents when missing.
Result<Descriptor> make_directories_without_links(const std::filesystem::path& directory, mode_t mode);

}  // namespace session
