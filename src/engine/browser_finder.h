// Finds the browser to drive: the one asked for, or the best one that this machine has.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "util/result.h"

namespace engine {

// A machine as the finder sees it; tests make their own.
struct Machine {
    std::function<bool(const std::filesystem::path&)> is_executable;
    // Where a symbolic link ends; the path itself when it is none.
    std::function<std::filesystem::path(const std::filesystem::path&)> resolve;
    std::vector<std::filesystem::path> search_path;  // $PATH

    static Machine current();
};

// Which browser is wanted. An executable comes before a name; neither means the best there is.
struct BrowserChoice {
    std::filesystem::path executable;  // --executable-path
    std::string name;                  // --browser: chromium, chrome-beta, msedge, ...
    bool headless = true;
};

struct FoundBrowser {
    std::filesystem::path path;  // the program itself, never a distribution's wrapper script
    std::string name;            // "chromium-headless-shell", or the file's name when it is none we know
    bool headless_only = false;  // it cannot open a window
};

// The error says what to install, or which names there are.
Result<FoundBrowser> find_browser(const BrowserChoice& choice, const Machine& machine = Machine::current());

// Every name that find_browser knows, for messages and documentation.
std::vector<std::string> browser_names();

}  // namespace engine
