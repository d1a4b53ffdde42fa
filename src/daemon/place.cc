#include "daemon/place.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/files.h"

namespace daemons {
namespace {

namespace fs = std::filesystem;

Error unusable(const fs::path& directory, const std::string& why) {
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "Cannot keep the daemon's socket in " + directory.string() + ": " + why + ".",
                 .hint = "Set XDG_RUNTIME_DIR to a directory that only you can use."};
}

// A socket's path has at most 107 bytes; elsewhere the directory can be as deep as it likes.
bool fits(const fs::path& socket) { return socket.string().size() < sizeof(sockaddr_un::sun_path); }

}  // namespace

Result<void> ensure_private_directory(const fs::path& directory) {
    std::error_code failed;
    fs::create_directories(directory.parent_path(), failed);
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return unusable(directory, std::strerror(errno));
    struct stat status{};
    if (::lstat(directory.c_str(), &status) != 0) return unusable(directory, std::strerror(errno));
    if (!S_ISDIR(status.st_mode)) return unusable(directory, "it is no directory");
    if (status.st_uid != ::geteuid()) return unusable(directory, "it belongs to another user");
    if ((status.st_mode & 0077) != 0 && ::chmod(directory.c_str(), 0700) != 0)
        return unusable(directory, "others can use it");
    return ok();
}

Result<Place> find_place(const std::string& key) {
    std::string runtime = environment("XDG_RUNTIME_DIR");
    fs::path directory = runtime.starts_with('/') ? fs::path(runtime) / "troupe" : cache_directory() / "run";
    if (!fits(directory / (key + ".sock"))) directory = "/tmp/troupe-" + std::to_string(::geteuid());
    TRY(ensure_private_directory(directory));
    std::error_code failed;
    fs::create_directories(state_directory(), failed);
    return Place{.socket = directory / (key + ".sock"),
                 .lock = directory / (key + ".lock"),
                 .log = state_directory() / ("daemon-" + key + ".log")};
}

}  // namespace daemons
