// A session's calls as something to run or to look at elsewhere.
#pragma once

#include <string>
#include <vector>

#include "store/history.h"

namespace record {

// What a recorded request was answered with unless it says so.
inline constexpr std::string_view kUsualStatus = "OK";

struct Recorded {
    std::string session_id;
    std::vector<store::Call> calls = {};  // oldest first
};

// The code that the session's answers showed, as one test for @playwright/test.
Result<std::string> to_playwright_test(const Recorded& recorded);
// The session's requests, as HAR 1.2.
Result<std::string> to_har(const Recorded& recorded);

}  // namespace record
