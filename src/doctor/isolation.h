// `troupe doctor --isolation`: two agents in one server of this configuration, one of which tries to get at
// what is the other's.
#pragma once

#include <vector>

#include "doctor/checks.h"
#include "session/sessions.h"
#include "util/log.h"

namespace doctor {

struct IsolationOptions {
    session::SessionsOptions sessions;  // as the server would have them
    std::function<Task<std::shared_ptr<engine::Browser>>(Loop& loop, engine::LaunchOptions options)> launch;
    // For tests: gives both agents one session, so that every check has something to find.
    bool broken = false;
};

// One check for each thing that could leak, in the order of the report. Starts real browsers, in a directory
// of its own that is removed afterwards.
std::vector<Check> examine_isolation(IsolationOptions options, Log& log);

}  // namespace doctor
