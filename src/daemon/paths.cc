#include "daemon/paths.h"

#include <sys/un.h>
#include <unistd.h>

#include "util/files.h"
#include "util/private_directory.h"

namespace daemons {
namespace {

namespace fs = std::filesystem;

Result<void> ensure_own(const fs::path& directory) {
    auto made = ensure_private_directory(directory);
    if (made) return ok();
    Error error = made.error();
    error.message += " The daemon keeps its files there.";
    error.hint = "Set XDG_RUNTIME_DIR and XDG_STATE_HOME to directories that only you can use.";
    return error;
}

// A socket's path has at most 107 bytes; the directories of other files may be deeper.
bool fits(const fs::path& socket) { return socket.string().size() < sizeof(sockaddr_un::sun_path); }

}  // namespace

Result<DaemonPaths> find_paths(const std::string& key) {
    std::string runtime = environment("XDG_RUNTIME_DIR");
    fs::path directory = runtime.starts_with('/') ? fs::path(runtime) / "troupe" : cache_directory() / "run";
    if (!fits(directory / (key + ".sock"))) directory = "/tmp/troupe-" + std::to_string(::geteuid());
    TRY(ensure_own(directory));
    TRY(ensure_own(state_directory()));
    return DaemonPaths{.socket = directory / (key + ".sock"),
                       .lock = directory / (key + ".lock"),
                       .log = state_directory() / ("daemon-" + key + ".log")};
}

}  // namespace daemons
