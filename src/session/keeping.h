// How a session's state outlives its browser.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "session/vault.h"
#include "store/records.h"
#include "util/json.h"

namespace session {

struct Keeping {
    std::shared_ptr<Vault> vault = {};  // null: nothing is kept
    std::string id = {};                // under which it is kept
    bool hibernates = false;            // the context may be given back while nobody uses it
    bool survives_crashes = false;
    bool may_be_there = false;                 // something may have been kept by an earlier run
    std::function<bool()> is_calm = {};        // whether there is time for what can wait
    std::function<void()> on_checkpoint = {};  // told of each that was kept
    std::function<void(store::SessionState state)> on_change = {};
    // What the session was made with: kept along, and given back before the context is opened again.
    std::function<json::object()> setup = {};
    std::function<void(const json::object& setup)> take_setup = {};
};

}  // namespace session
