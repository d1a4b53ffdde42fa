// Options of the upstream engine: which server to run, and its limits and timeouts.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/catalog.h"
#include "upstream/server_traits.h"

namespace upstream {

using std::chrono::milliseconds;

enum class Transport { Stdio, Http };

// Limits how often a server is started again after it ended on its own.
struct RestartLimits {
    // From an end to the next start: after the first end within the window, the second, the third.
    std::array<milliseconds, 3> pauses{std::chrono::seconds(1), std::chrono::seconds(2),
                                       std::chrono::seconds(4)};
    milliseconds window{std::chrono::minutes(5)};
};

// All timeouts and intervals, so that tests can shorten them.
struct Timing {
    milliseconds handshake{std::chrono::seconds(60)};
    milliseconds ping_interval{std::chrono::seconds(30)};
    int missed_pings = 3;                             // in a row: the server hangs
    milliseconds idle{std::chrono::hours(1)};         // an unused server is closed after this; zero: never
    milliseconds last_call{std::chrono::seconds(5)};  // timeout for closing the browser
    milliseconds terminate{std::chrono::seconds(2)};  // before and after SIGTERM
    RestartLimits restart = {};
};

// How a server's browser gets a profile of its own when no option asks for one in memory.
enum class OwnProfile {
    None,
    UserDataDir,  // --user-data-dir
    Environment   // by the configuration and cache directories in its environment
};

// The engine that drives browsers itself, where sessions can choose between the two.
struct NativeEngine {
    const tools::Registry* tools = nullptr;                                // null: all sessions are ours
    std::function<bool(const session::SessionKey& key)> has_session = {};  // whether it owns the session
    bool is_default = false;  // for sessions that do not choose; its tool descriptions are listed
    bool tab_ids = false;     // whether calls in its sessions may name a tab
};

struct Options {
    std::vector<std::string> command;
    std::vector<std::pair<std::string, std::string>> environment = {};  // added to ours
    std::filesystem::path directory = {};                               // empty: ours
    ServerTraits traits = {};                                           // what the command supports
    OwnProfile own_profile = OwnProfile::None;
    Transport transport = Transport::Stdio;
    // Runs the command and kills all of its descendants with it: see reaper.h. Empty: none.
    std::vector<std::string> reaper = {};
    std::string client_version = "0";
    std::size_t max_message = 64 * 1024 * 1024;
    std::size_t max_sessions = 1000;        // with a server at the same time
    bool shared = false;                    // one process for all sessions, over HTTP
    std::filesystem::path tool_cache = {};  // file that caches the tool list; empty: none
    bool warm = false;                      // keep one started for the next session
    // Whether a line of the server's standard error is copied to ours unchanged. Empty: all lines are logged.
    std::function<bool(std::string_view line)> shows = {};
    Timing timing = {};
    tools::SessionParamOptions session_param = {};
    NativeEngine native = {};
    // Creates and returns the workspace of a caller whose own roots are not trusted; empty: ask the client.
    std::function<std::filesystem::path(const tools::Caller& caller)> folder_of = {};
    // The directory where a session's server writes its files. Each session needs its own, because servers
    // name files by the millisecond. Empty: the server's default.
    using OutputOf =
        std::function<std::filesystem::path(const tools::Caller& caller, const session::SessionKey& key)>;
    OutputOf output_of = {};
    bool separates_outputs = false;  // whether to set output_of
    // Called for each session that had a server and has ended.
    std::function<void(const session::SessionKey& key)> ended = {};
};

}  // namespace upstream
