#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <malloc.h>
#include <unistd.h>

#include "daemon/shim.h"
#include "daemon/start.h"
#include "util/files.h"

namespace daemons {
namespace {

// The running program speaks our version, even if the file was replaced since.
constexpr const char* kSelf = "/proc/self/exe";

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Restores a descriptor's flags: a terminal is shared with the shell that started us.
class NonBlocking {
public:
    explicit NonBlocking(int descriptor) : descriptor_(descriptor), flags_(::fcntl(descriptor, F_GETFL)) {
        if (flags_ >= 0) ::fcntl(descriptor_, F_SETFL, flags_ | O_NONBLOCK);
    }
    NonBlocking(const NonBlocking&) = delete;
    ~NonBlocking() {
        if (flags_ >= 0) ::fcntl(descriptor_, F_SETFL, flags_);
    }

private:
    int descriptor_;
    int flags_;
};

// The command line that runs another part of this program, with the client's own arguments.
std::vector<std::string> command(const std::vector<std::string>& arguments, std::vector<std::string> part) {
    std::vector<std::string> all{arguments[0]};
    all.insert(all.end(), part.begin(), part.end());
    all.insert(all.end(), arguments.begin() + 5, arguments.end());
    return all;
}

}  // namespace

Error become_shim(const DaemonPaths& paths, char** arguments) {
    std::vector<std::string> texts{arguments[0], std::string(kShimCommand), paths.socket.string(),
                                   paths.lock.string(), paths.log.string()};
    for (char** argument = arguments + 1; *argument; ++argument) texts.emplace_back(*argument);
    ::execv(kSelf, pointers_to(texts).data());
    return Error{.message = std::string("Cannot start again as a client of the daemon: ") +
                            std::strerror(errno) + "."};
}

int run_shim(std::vector<std::string> arguments, std::string version) {
    if (arguments.size() < 5) return 1;
    std::signal(SIGPIPE, SIG_IGN);
    // Allocates large messages separately, so that their memory returns to the system.
    ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
    ::mallopt(M_TRIM_THRESHOLD, 128 << 10);
    DaemonPaths paths{.socket = arguments[2], .lock = arguments[3], .log = arguments[4]};
    std::error_code gone;
    std::filesystem::path directory = std::filesystem::current_path(gone);
    ConnectOptions options{
        .paths = paths,
        .version = std::move(version),
        .agent = environment("TROUPE_AGENT_ID"),
        .directory = gone ? "/" : directory,
        .start =
            [&](Descriptor lock) {
                return start_detached(
                    paths, kSelf, command(arguments, {std::string(kDaemonCommand), paths.socket.string()}),
                    std::move(lock));
            },
    };
    auto daemon = connect_to_daemon(options);
    if (!daemon) {
        std::string why = daemon.error().to_string();
        std::fprintf(stderr, "troupe: %s\n  Serving this client alone.\n", why.c_str());
        auto alone = command(arguments, {std::string(kAloneCommand)});
        ::execv(kSelf, pointers_to(alone).data());
        return 1;
    }
    NonBlocking input(STDIN_FILENO), output(STDOUT_FILENO);
    Shim(std::move(options), std::move(*daemon), STDIN_FILENO, STDOUT_FILENO).run();
    return 0;
}

}  // namespace daemons
