// Exports a session's calls for use in other programs.
#pragma once

#include <string>
#include <vector>

#include "store/history.h"

namespace cli {

struct Recorded {
    std::string session_id;
    std::vector<store::Call> calls = {};  // oldest first
};

// The code in the session's answers, as one test for @playwright/test.
Result<std::string> to_playwright_test(const Recorded& recorded);
// The session's requests, as HAR 1.2.
Result<std::string> to_har(const Recorded& recorded);

}  // namespace cli
