#include "util/private_directory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/spawn.h"

namespace {

namespace fs = std::filesystem;

constexpr mode_t kOnlyOurs = 0700;
constexpr mode_t kOthers = 0077;

Error unusable(const fs::path& directory, const std::string& why) {
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "Cannot use the directory " + directory.string() + ": " + why + "."};
}

// Does not change parents that exist already.
void make_parents(const fs::path& directory) {
    fs::path parent = directory.parent_path();
    if (parent.empty() || parent == directory || ::access(parent.c_str(), F_OK) == 0) return;
    make_parents(parent);
    ::mkdir(parent.c_str(), kOnlyOurs);
}

}  // namespace

Result<void> ensure_private_directory(const fs::path& directory) {
    make_parents(directory);
    if (::mkdir(directory.c_str(), kOnlyOurs) != 0 && errno != EEXIST)
        return unusable(directory, std::strerror(errno));
    Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (opened.get() < 0)
        return unusable(directory, errno == ENOTDIR || errno == ELOOP ? "it is no directory of its own"
                                                                      : std::strerror(errno));
    return check_private_directory(opened.get(), directory);
}

Result<void> check_private_directory(int descriptor, const fs::path& directory) {
    struct stat status{};
    if (::fstat(descriptor, &status) != 0) return unusable(directory, std::strerror(errno));
    if (!S_ISDIR(status.st_mode)) return unusable(directory, "it is no directory");
    // A shared directory such as /tmp, which root owns: its mode must not be changed.
    if ((status.st_mode & S_ISVTX) != 0) return unusable(directory, "it is there for all users");
    if (status.st_uid != ::geteuid()) return unusable(directory, "it belongs to another user");
    if ((status.st_mode & kOthers) != 0 && ::fchmod(descriptor, kOnlyOurs) != 0)
        return unusable(directory, "others can use it");
    return ok();
}
