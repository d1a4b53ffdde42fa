// The first line each way between a client's process and the daemon. Its form never changes, so that any two
// versions understand each other this far.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace daemons {

// What stands behind the first line. Raised when an older side could no longer work with a newer one.
inline constexpr int kLinkVersion = 1;

struct Hello {
    int link = kLinkVersion;
    std::string version;              // of the program
    std::filesystem::path directory;  // the client's working directory
    // How many daemons this client had before; what each of them asks gets ids of its own.
    std::int64_t generation = 0;
    std::string agent = {};   // --agent-id
    std::string retire = {};  // nothing but: end, if this is your version and you have no other client
};

struct Welcome {
    int link = kLinkVersion;
    std::string version;
    std::int64_t clients = 0;  // others than this one
    bool retired = false;      // it ends, as asked
};

std::string to_line(const Hello& hello);
std::string to_line(const Welcome& welcome);
// Nothing when the line is something else.
std::optional<Hello> read_hello(std::string_view line);
std::optional<Welcome> read_welcome(std::string_view line);

enum class Verdict {
    Use,
    Replace,  // it is old and nobody uses it
    Refuse    // it speaks another language, and others need it
};
Verdict judge(const Welcome& daemon, std::string_view our_version);

}  // namespace daemons
