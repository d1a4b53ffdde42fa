#include "session/store_vault.h"

namespace session {

Task<std::vector<std::string>> StoreVault::ids() {
    std::vector<std::string> ids;
    for (const store::SessionInfo& each : co_await store_.sessions()) {
        if (each.state == store::SessionState::Active || each.state == store::SessionState::Hibernated)
            ids.push_back(each.session_id);
    }
    co_return ids;
}

}  // namespace session
