// Opens the record for a server.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "store/store.h"
#include "util/json.h"
#include "util/log.h"
#include "util/metrics.h"

namespace record {

// The records of one user: record.db and its numbered neighbours in `directory`.
std::vector<std::filesystem::path> find_databases(const std::filesystem::path& directory);

// Whether the user named the file. The usual file is optional: the server uses record-2.db and so on while a
// server of an earlier version has it locked, and no record at all (null) when it cannot be used. All servers
// of a user share the usual file; sessions that earlier versions kept in numbered ones are taken over.
enum class Path { Given, Usual };

// A disk failure is no error: the store starts degraded, logs it and keeps trying.
Result<std::unique_ptr<store::Store>> open(Loop& loop, store::Options options, Path path, Log& log);

// Reports the record's state, for as long as the store lives.
void add_metrics(Metrics& metrics, const store::Store& store);
json::object describe(const store::Health& health);

}  // namespace record
