// Opens the record for a server.
#pragma once

#include <memory>

#include "store/store.h"
#include "util/json.h"
#include "util/log.h"
#include "util/metrics.h"

namespace record {

// Whether somebody named the file. One that nobody named makes way: to record-2.db and so on while a server
// of an earlier version has it to itself, and to no record at all (null) when it cannot be used. All servers
// of a user share the usual one; sessions that earlier versions kept in numbered ones are taken over.
enum class Path { Given, Usual };

// Trouble with the disk is no error: the store begins degraded, says so in the log and keeps trying.
Result<std::unique_ptr<store::Store>> open(Loop& loop, store::Options options, Path path, Log& log);

// Says how the record is doing, for as long as the store lives.
void add_metrics(Metrics& metrics, const store::Store& store);
json::object describe(const store::Health& health);

}  // namespace record
