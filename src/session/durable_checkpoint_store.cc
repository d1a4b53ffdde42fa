#include "session/durable_checkpoint_store.h"

namespace session {

Task<std::vector<std::string>> DurableCheckpointStore::ids() { return store_.states(); }

}  // namespace session
