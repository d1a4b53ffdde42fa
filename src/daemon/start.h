// Starting a daemon that two racing clients cannot both start, and that outlives the one that did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/place.h"
#include "util/spawn.h"

namespace daemons {

// The lock of a place; nothing while somebody else has it. The kernel drops it with its last holder, however
// that ends, so whoever gets it knows that no daemon lives there. The file itself stays.
Result<std::optional<Descriptor>> try_lock(const std::filesystem::path& file);

// Where a daemon finds the lock it inherits.
inline constexpr int kLockDescriptor = 3;

// Runs `program` with `arguments`, the first being its name, in a session of its own, without a terminal, its
// errors in the place's log. It inherits `lock` and nothing else. Comes back once it runs; it is nobody's
// child.
Result<void> start_detached(const Place& place, const std::string& program,
                            std::vector<std::string> arguments, Descriptor lock);

}  // namespace daemons
