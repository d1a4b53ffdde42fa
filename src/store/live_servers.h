// Which of the servers that write a record are alive.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "store/session_leases.h"
#include "util/result.h"

namespace store {

class Database;

// Each server holds a lease on an id of its own for as long as it runs.
std::filesystem::path servers_file(const std::filesystem::path& record);

// Asks the kernel which of these servers run now, for any reader of the record.
class LiveServers {
public:
    explicit LiveServers(const std::filesystem::path& record)
        : leases_(SessionLeases::open_existing(servers_file(record))) {}

    // Whether the server may run; also true when the kernel cannot tell, as on a file system without locks.
    bool may_have(const std::string& server) const;

private:
    std::shared_ptr<SessionLeases> leases_;  // null: no server has ever been there
};

// Updates active sessions of servers that ended without doing so: those with saved state hibernate, the
// others are closed. Reads give the same states before this is done.
Result<void> update_abandoned_sessions(Database& db, const LiveServers& servers);

}  // namespace store
