// The first line in each direction between a client's process and the daemon. Its form never changes, so that
// any two versions can read each other's first line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace daemons {

// The protocol after the first line. Raised when an older side could no longer work with a newer one.
inline constexpr int kLinkVersion = 1;

struct Hello {
    int link = kLinkVersion;
    std::string version;              // of the program
    std::filesystem::path directory;  // the client's working directory
    // Number of earlier daemons of this client; gives each daemon's questions separate ids.
    std::int64_t generation = 0;
    std::string agent = {};    // --agent-id
    bool had_session = false;  // an earlier daemon ran calls of this client
    std::string retire = {};   // only asks the daemon to end, if it has this version and no other client
};

struct Welcome {
    int link = kLinkVersion;
    std::string version;
    std::int64_t clients = 0;  // not counting this one
    bool retired = false;      // the daemon ends, as asked
};

std::string to_line(const Hello& hello);
std::string to_line(const Welcome& welcome);
// Returns nothing when the line is something else.
std::optional<Hello> read_hello(std::string_view line);
std::optional<Welcome> read_welcome(std::string_view line);

enum class Verdict {
    Use,
    Replace,  // it is outdated and has no clients
    Refuse    // it speaks another protocol version, and has other clients
};
Verdict judge(const Welcome& daemon, std::string_view our_version);

}  // namespace daemons
