// The files of a record: who may have them open, their modes, and where a damaged one goes.
#pragma once

#include <filesystem>
#include <memory>

#include "store/database.h"

namespace store {

// The same name for the same file, whatever the working directory. The file need not exist.
std::filesystem::path resolved(const std::filesystem::path& path);

// Makes the directories that are missing (mode 0700).
Result<void> make_directory_of(const std::filesystem::path& file);

// Opens the database for writing and brings its tables up to date; makes it (mode 0600) when it is not there.
// `trouble` says what kind of failure it was.
Result<std::unique_ptr<Database>> open_for_writing(const std::filesystem::path& file, Trouble& trouble);
Result<std::unique_ptr<Database>> open_for_reading(const std::filesystem::path& file);

// Moves a damaged database and its log to a name that is free. Nothing may have it open.
Result<std::filesystem::path> set_aside(const std::filesystem::path& file);

}  // namespace store
