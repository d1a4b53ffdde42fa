// What the upstream engine is told: which server to run, and how patient to be with it.
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

// How often a server may be started again after it ended on its own.
struct RestartLimits {
    // Between its end and its next start: after the first end within the window, the second, the third.
    std::array<milliseconds, 3> pauses{std::chrono::seconds(1), std::chrono::seconds(2),
                                       std::chrono::seconds(4)};
    milliseconds window{std::chrono::minutes(5)};
};

// Every wait there is, so that tests need not sit them out.
struct Timing {
    milliseconds handshake{std::chrono::seconds(60)};
    milliseconds ping_interval{std::chrono::seconds(30)};
    int missed_pings = 3;                             // in a row: it hangs
    milliseconds idle{std::chrono::hours(1)};         // unused for so long, it is closed; zero: never
    milliseconds last_call{std::chrono::seconds(5)};  // for the browser to close
    milliseconds terminate{std::chrono::seconds(2)};  // before and after SIGTERM
    RestartLimits restart = {};
};

// How a server's browser gets a profile that no other server uses, where no option asks it for one in memory.
enum class OwnProfile {
    None,
    UserDataDir,  // --user-data-dir
    Environment   // by where its environment says that configuration and caches are
};

// The engine that drives browsers itself, where sessions can choose between the two.
struct NativeEngine {
    const tools::Registry* tools = nullptr;                                // null: all sessions are ours
    std::function<bool(const session::SessionKey& key)> has_session = {};  // made with it
    bool is_default = false;  // for sessions that do not choose; its descriptions of tools are listed
};

struct Options {
    std::vector<std::string> command;
    std::vector<std::pair<std::string, std::string>> environment = {};  // added to ours
    std::filesystem::path directory = {};                               // empty: ours
    ServerTraits traits = {};                                           // what the command understands
    OwnProfile own_profile = OwnProfile::None;
    Transport transport = Transport::Stdio;
    // Runs the command and takes all of its descendants with it: see keeper.h. Empty: none.
    std::vector<std::string> keeper = {};
    std::string client_version = "0";
    std::size_t max_message = 64 * 1024 * 1024;
    std::size_t max_sessions = 1000;        // with a server at once
    bool shared = false;                    // one process for all of them, over HTTP
    std::filesystem::path tool_cache = {};  // where the list of its tools is kept; empty: nowhere
    bool warm = false;                      // one is started for whoever comes next
    // Whether a line of its standard error is for whoever reads ours, as it is. Empty: none is, all are
    // logged.
    std::function<bool(std::string_view line)> shows = {};
    Timing timing = {};
    tools::SessionParamOptions session_param = {};
    NativeEngine native = {};
    // The workspace of a caller whose own word on that does not count, made; empty: the client is asked.
    std::function<std::filesystem::path(const tools::Caller& caller)> folder_of = {};
    // Told of each session that had a server and is over.
    std::function<void(const session::SessionKey& key)> ended = {};
};

}  // namespace upstream
