// Runs several tasks concurrently.
#pragma once

#include <vector>

#include "util/async.h"

// Ends when all have ended, with the first error of any of them. Dropping it drops all of them.
Task<> when_all(Loop& loop, std::vector<Task<>> tasks);
