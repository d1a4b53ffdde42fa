// Paths with all links followed, and files opened so that none can lead elsewhere meanwhile.
#pragma once

#include <filesystem>
#include <sys/types.h>

#include "util/result.h"
#include "util/spawn.h"

namespace session {

// Where an absolute path leads. Links to nothing are followed, too: a file that is made there goes where they
// lead. Fails where that cannot be told.
Result<std::filesystem::path> real_path(const std::filesystem::path& path);

bool is_inside(const std::filesystem::path& directory, const std::filesystem::path& file);

// Opens a plain file at an absolute path that has no links; `flags` are those of open(2). Fails with
// PolicyDenied where there is a link now.
Result<Descriptor> open_without_links(const std::filesystem::path& file, int flags, mode_t mode = 0600);
// Opens a directory at such a path, to open files below it; where it is missing, it is made with its parents.
Result<Descriptor> make_directories_without_links(const std::filesystem::path& directory, mode_t mode);

}  // namespace session
