// What `troupe doctor` looks at. Each check takes the facts it judges, so that tests can make them up.
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

// One thing looked at. All but Ok say in `remedy` what to do.
struct Check {
    enum class Outcome { Ok, Note, Warning, Failed };

    Outcome outcome = Outcome::Ok;
    std::string name;           // "state directory"
    std::string finding;        // what was seen
    std::string remedy = {};    // what to do about it
    std::string evidence = {};  // lines shown as they are: the end of a browser's stderr
};

// The configuration as far as it concerns this machine.
struct DoctorOptions {
    std::string browser;               // --browser; empty for the best there is
    std::filesystem::path executable;  // --executable-path
    bool headless = true;
    bool sandbox = true;
    std::string host = "127.0.0.1";
    int port = 8931;                  // 0: any free one
    std::filesystem::path state_dir;  // empty for the user's own
    std::chrono::milliseconds browser_start_limit = std::chrono::seconds(15);
};

// Every check in the order of the report. Takes as long as the browser does to start.
std::vector<Check> examine(const DoctorOptions& options);

Check check_system(const SystemFacts& facts);

// `version` is what the browser prints for --version; empty when it does not.
Check check_browser_found(const Result<engine::FoundBrowser>& found, const std::string& version);
Check check_browser_starts(const BrowserProbe& probe);
Check check_sandbox(const SandboxFacts& facts);
// Where a window would open: $DISPLAY or $WAYLAND_DISPLAY.
Check check_display(const std::string& display);
Check check_state_directory(const std::filesystem::path& directory,
                            std::uintmax_t wanted_bytes = std::uintmax_t{500} << 20);
Check check_port(const std::string& host, int port);
// Empty when there is no /dev/shm.
Check check_shared_memory(std::optional<std::uintmax_t> bytes);
// The hard limit: the server raises its own limit up to it.
Check check_open_files(std::uint64_t limit);
// `version` is what `node --version` prints; empty when there is no node.
Check check_node(const std::string& version);

}  // namespace doctor
