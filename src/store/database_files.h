// The files of a record: checks, modes, opening, and setting a damaged one aside.
#pragma once

#include <filesystem>
#include <memory>

#include "store/database.h"

namespace store {

// The same name for the same file, whatever the working directory. The file need not exist.
std::filesystem::path resolved(const std::filesystem::path& path);

// Creates missing directories (mode 0700).
Result<void> make_directory_of(const std::filesystem::path& file);

// Fails with InvalidArgument when the file is something else than a record, and leaves it as it is. For a
// file that the user named: in our own directory, a file that is no database is a damaged one. Call before
// this process opens it.
Result<void> check_is_record(const std::filesystem::path& file);

// Opens the database for writing and brings its tables up to date; creates it (mode 0600) when missing.
// `trouble` gets the kind of failure.
Result<std::unique_ptr<Database>> open_for_writing(const std::filesystem::path& file, Trouble& trouble);
Result<std::unique_ptr<Database>> open_for_reading(const std::filesystem::path& file);

// Moves a damaged database and its log to a free name. No connection may be open.
Result<std::filesystem::path> set_aside(const std::filesystem::path& file);

}  // namespace store
