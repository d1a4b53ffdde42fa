#include "session/store_vault.h"

namespace session {

Task<std::vector<std::string>> StoreVault::ids() { return store_.states(); }

}  // namespace session
