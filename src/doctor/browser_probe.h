// Starts a real browser and asks for its version over DevTools.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "util/result.h"

namespace doctor {

struct BrowserProbe {
    std::filesystem::path executable;
    bool sandbox = true;
    std::chrono::milliseconds limit = std::chrono::seconds(15);
};

struct BrowserAnswer {
    std::string product;                // "HeadlessChrome/156.0.8078.79"
    std::chrono::milliseconds elapsed;  // from start to answer
};

// Runs the browser headless in a temporary profile and always removes both.
// The error's details hold the end of the browser's stderr.
Result<BrowserAnswer> probe_browser(const BrowserProbe& probe);

}  // namespace doctor
