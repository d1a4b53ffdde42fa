// `troupe doctor --isolation`: runs two agents in one server of this configuration, one of which tries to
// access the other's data.
#pragma once

#include <vector>

#include "doctor/checks.h"
#include "session/sessions.h"
#include "util/log.h"

namespace doctor {

struct IsolationOptions {
    session::SessionsOptions sessions;  // options of the real server
    std::function<Task<std::shared_ptr<engine::Browser>>(Loop& loop, engine::LaunchOptions options)> launch;
    // For tests: gives both agents one session, so that every check has something to find.
    bool broken = false;
};

// Runs one check for each possible leak, in the order of the report. Starts real browsers, in a directory of
// its own that is removed afterwards.
std::vector<Check> examine_isolation(IsolationOptions options, Log& log);

}  // namespace doctor
