// The checks of `troupe doctor`. Each takes the facts it judges, so that tests can make them up.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "doctor/browser_probe.h"
#include "doctor/facts.h"
#include "engine/browser_finder.h"
#include "util/result.h"

namespace doctor {

// The result of one check. All outcomes but Ok have a `remedy`.
struct Check {
    enum class Outcome { Ok, Note, Warning, Failed };

    Outcome outcome = Outcome::Ok;
    std::string name;           // "state directory"
    std::string finding;        // observation
    std::string remedy = {};    // suggested action
    std::string evidence = {};  // lines printed unchanged: the end of a browser's stderr
};

// The configuration as far as it concerns this machine.
struct DoctorOptions {
    std::string browser;               // --browser; empty: the best one found
    std::filesystem::path executable;  // --executable-path
    bool headless = true;
    bool sandbox = true;
    std::string host = "127.0.0.1";
    int port = 8931;                  // 0: any free one
    std::filesystem::path state_dir;  // empty: the user's own
    // The browser's profile, or the directory of all profiles; empty: browsers have temporary ones.
    std::filesystem::path profile = {};
    std::filesystem::path directory = {};          // of the workspace
    std::filesystem::path playwright_module = {};  // --playwright-module
    std::chrono::milliseconds browser_start_limit = std::chrono::seconds(15);
};

// Runs every check in the order of the report. Takes as long as the browser takes to start.
std::vector<Check> examine(const DoctorOptions& options);

Check check_system(const SystemFacts& facts);

// `version` is the output of the browser's --version; empty when it prints none.
Check check_browser_found(const Result<engine::FoundBrowser>& found, const std::string& version);
Check check_browser_starts(const BrowserProbe& probe);
Check check_sandbox(const SandboxFacts& facts);
// `display` is where a window would open: $DISPLAY or $WAYLAND_DISPLAY.
Check check_display(const std::string& display);
Check check_state_directory(const std::filesystem::path& directory,
                            std::uintmax_t wanted_bytes = std::uintmax_t{500} << 20);
Check check_port(const std::string& host, int port);
// Empty when there is no /dev/shm.
Check check_shared_memory(std::optional<std::uintmax_t> bytes);
// The hard limit: the server raises its own limit up to it.
Check check_open_files(std::uint64_t limit);
// `holder` is the process that has it open; empty: none.
Check check_profile(const std::filesystem::path& directory, const std::string& holder);
// `found` is the playwright-core that Node.js finds.
Check check_run_code(const Result<std::string>& found);
// `version` is the output of `node --version`; empty when there is no node.
Check check_node(const std::string& version);

}  // namespace doctor
