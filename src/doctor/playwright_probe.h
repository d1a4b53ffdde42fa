// Checks whether Node.js finds the packages that Playwright code needs.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "util/result.h"

namespace doctor {

struct PlaywrightProbe {
    std::filesystem::path node;       // empty: there is none
    std::filesystem::path module;     // the package to use; empty: search for it
    std::filesystem::path directory;  // where the search begins
    std::chrono::milliseconds limit = std::chrono::seconds(10);
};

// Finds the package as a server does; returns its name and version. The error names the missing part.
Result<std::string> probe_playwright(const PlaywrightProbe& probe);

}  // namespace doctor
