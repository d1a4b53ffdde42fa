// Imports session states that servers of earlier versions kept in numbered records beside the usual one.
#pragma once

#include <cstddef>
#include <filesystem>

#include "util/result.h"

namespace store {

// A record and the key that its session states are sealed with.
struct SealedRecord {
    std::filesystem::path database;
    std::filesystem::path key_file;  // empty: beside the database, with ".key"
};

// Copies the states saved in `from` since the last import, unless `into` has newer ones of the same sessions.
// Gives their number. `into` must have its tables already; `from` stays as it is.
Result<std::size_t> import_states(const SealedRecord& into, const SealedRecord& from);

}  // namespace store
