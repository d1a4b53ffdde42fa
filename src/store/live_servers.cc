#include "store/live_servers.h"

#include <vector>

#include "store/database.h"

namespace store {

std::filesystem::path servers_file(const std::filesystem::path& record) {
    return record.string() + ".servers";
}

bool LiveServers::may_have(const std::string& server) const {
    return !server.empty() && leases_ && !leases_->is_free(server);
}

Result<void> update_abandoned_sessions(Database& db, const LiveServers& servers) {
    // Servers of earlier versions left no id.
    std::vector<std::string> gone;
    {
        Query query =
            TRY(db.query("SELECT DISTINCT coalesce(server, '') FROM sessions WHERE state = 'active' OR "
                         "(state = 'hibernated' AND server IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
                         "session_states WHERE session_states.session_id = sessions.state_id))"));
        while (TRY(query.step())) {
            std::string server(query.text(0));
            if (!servers.may_have(server)) gone.push_back(std::move(server));
        }
    }
    for (const std::string& server : gone) {
        Query query = TRY(db.query(R"(
UPDATE sessions SET state = CASE WHEN EXISTS (SELECT 1 FROM session_states
    WHERE session_states.session_id = sessions.state_id) THEN 'hibernated' ELSE 'closed' END
WHERE coalesce(server, '') = ?1 AND (state = 'active' OR (state = 'hibernated' AND server IS NOT NULL)))"));
        TRY(query.bind(server).run());
    }
    return ok();
}

}  // namespace store
