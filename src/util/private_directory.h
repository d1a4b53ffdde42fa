// Directories that nobody but this user can use.
#pragma once

#include <filesystem>

#include "util/result.h"

// Makes the directory with mode 0700, its missing parents like it, or takes away what others may do in one
// that is there. Fails with PolicyDenied where it is another user's, for all users (/tmp), a link, or no
// directory.
Result<void> ensure_private_directory(const std::filesystem::path& directory);
// The same for an open directory, once it is there.
Result<void> check_private_directory(int descriptor, const std::filesystem::path& directory);
