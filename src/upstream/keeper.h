// The process between us and a server: it makes sure that nothing of the server outlives it, or us.
#pragma once

namespace upstream {

// Runs the command that `arguments` (ending with a null pointer) name and ends as it ends. Afterwards, when
// its parent dies, or on SIGUSR1, everything that the command started is killed, in whatever process groups
// and sessions it may be: browsers make their own. SIGTERM is handed on to the command's process group.
//
// To be called by a program of its own, as the first thing it does.
int keep(char** arguments);

}  // namespace upstream
