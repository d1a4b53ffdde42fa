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

// Leases on session ids, held as kernel locks on ranges of one file: they end with their owner's process,
// however it ends, and need no renewal. Lives on the main loop.
class SessionLeases {
public:
    // Creates the file when it is missing (mode 0600).
    static Result<std::shared_ptr<SessionLeases>> open(const std::filesystem::path& file);
    // Opens the file for queries, not to take leases. Null when there is no such file.
    static std::shared_ptr<SessionLeases> open_existing(const std::filesystem::path& file);

    // Takes a lease until the last copy of the result is dropped; null while another server holds it.
    static std::shared_ptr<void> take(const std::shared_ptr<SessionLeases>& leases, const std::string& id);
    // The id of another process that holds the lease; 0: none.
    pid_t holder(const std::string& id) const;
    // Whether no other process holds it; false when the kernel cannot tell.
    bool is_free(const std::string& id) const;
    // Whether another process holds any lease of this file.
    bool has_others() const;

private:
    explicit SessionLeases(Descriptor file) : file_(std::move(file)) {}

    Descriptor file_;
    std::map<std::int64_t, std::weak_ptr<void>> held_;  // by the first byte of the range
};

}  // namespace store
