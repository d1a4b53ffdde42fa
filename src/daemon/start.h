// Starts a daemon that outlives its starter; of two racing clients only one can start it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/paths.h"
#include "util/spawn.h"

namespace daemons {

// Takes the lock file; returns nothing while another process holds it. The kernel releases it with its last
// holder, however that ends, so a new holder knows that no daemon runs there. The file itself stays.
Result<std::optional<Descriptor>> try_lock(const std::filesystem::path& file);

// The descriptor number at which a daemon inherits the lock.
inline constexpr int kLockDescriptor = 3;

// Runs `program` with `arguments`, the first being its name, in a session of its own, without a terminal,
// logging errors to `paths.log`. It inherits only `lock`. Returns once it runs; it is not our child.
Result<void> start_detached(const DaemonPaths& paths, const std::string& program,
                            std::vector<std::string> arguments, Descriptor lock);

}  // namespace daemons
