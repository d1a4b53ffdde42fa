// The tables, as migrations that are only ever appended.
#pragma once

#include "store/database.h"

namespace store {

// Fails with InvalidArgument when another program made the database.
Result<void> check_is_ours(Database& db);

// Brings a database up to date; a new one gets everything. Fails with InvalidArgument when the file is
// another program's, or a newer Troupe's.
Result<void> migrate(Database& db);

// Writes something that changes nothing.
void touch_log(Database& db);

}  // namespace store
