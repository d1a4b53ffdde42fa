// Directories that only this user can access.
#pragma once

#include <filesystem>

#include "util/result.h"

// Creates the directory and its missing parents with mode 0700, or removes other users' access to an existing
// one. Fails with PolicyDenied if it belongs to another user, is shared by all users (/tmp), is a link, or is
// not a directory.
Result<void> ensure_private_directory(const std::filesystem::path& directory);
// The same for an open directory.
Result<void> check_private_directory(int descriptor, const std::filesystem::path& directory);
