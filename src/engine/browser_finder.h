// Finds the requested browser, or the best one installed on this machine.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "util/result.h"

namespace engine {

// The parts of a machine that the finder looks at; tests make their own.
struct Machine {
    std::function<bool(const std::filesystem::path&)> is_executable;
    // The target of a symbolic link; the path itself if it is not a link.
    std::function<std::filesystem::path(const std::filesystem::path&)> resolve;
    std::vector<std::filesystem::path> search_path;  // $PATH

    static Machine current();
};

// Which browser is wanted. An executable takes precedence over a name; neither means the best one installed.
struct BrowserChoice {
    std::filesystem::path executable;  // --executable-path
    std::string name;                  // --browser: chromium, chrome-beta, msedge, ...
    bool headless = true;
};

struct FoundBrowser {
    std::filesystem::path path;  // the program itself, never a distribution's wrapper script
    std::string name;            // "chromium-headless-shell", or the file's name if we do not know it
    bool headless_only = false;  // it cannot open a window
};

// The error says what to install, or lists the known names.
Result<FoundBrowser> find_browser(const BrowserChoice& choice, const Machine& machine = Machine::current());

// Every name that find_browser knows, for messages and documentation.
std::vector<std::string> browser_names();

}  // namespace engine
