// How a session's state outlives its browser.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "session/checkpoint_store.h"
#include "store/records.h"
#include "util/json.h"

namespace session {

struct Persistence {
    std::shared_ptr<CheckpointStore> checkpoints = {};  // null: nothing is kept
    std::string id = {};                                // of its checkpoint
    bool hibernates = false;                            // the context may be given back while unused
    bool survives_crashes = false;
    bool may_be_there = false;                 // an earlier run may have saved a checkpoint
    std::function<bool()> is_calm = {};        // whether low-priority work may run now
    std::function<void()> on_checkpoint = {};  // called after each save
    std::function<void(store::SessionState state)> on_change = {};
    // The session's setup: saved with it, and given to take_setup before the context is opened again.
    std::function<json::object()> setup = {};
    std::function<void(const json::object& setup)> take_setup = {};
};

}  // namespace session
