// Which server has which session, among all servers that write one record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>

#include "util/result.h"
#include "util/spawn.h"

namespace store {

// Leases on session ids, held as kernel locks on ranges of one file: they end with the process that has
// them, however it ends, and nothing has to be renewed. Lives on the main loop.
class SessionLeases {
public:
    // Makes the file when it is not there (mode 0600).
    static Result<std::shared_ptr<SessionLeases>> open(const std::filesystem::path& file);
    // To ask, not to take. Null when there is no such file.
    static std::shared_ptr<SessionLeases> open_existing(const std::filesystem::path& file);

    // Held until the last copy of what this gives is dropped; null while another server holds it.
    static std::shared_ptr<void> take(const std::shared_ptr<SessionLeases>& leases, const std::string& id);
    // The process that holds the lease, unless that is this one; 0: nobody else does.
    pid_t holder(const std::string& id) const;
    // Whether the kernel says that nobody but this one holds it; false where it cannot tell.
    bool is_free(const std::string& id) const;
    // Whether anybody else holds any lease of this file.
    bool has_others() const;

private:
    explicit SessionLeases(Descriptor file) : file_(std::move(file)) {}

    Descriptor file_;
    std::map<std::int64_t, std::weak_ptr<void>> held_;  // by the first byte of the range
};

}  // namespace store
