#include "session/real_path.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace session {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel

// Empty for what is no link.
Result<fs::path> target_of(const fs::path& link) {
    std::array<char, PATH_MAX> text;
    ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
    if (length >= 0) return fs::path(std::string_view(text.data(), static_cast<std::size_t>(length)));
    if (errno == EINVAL || errno == ENOENT || errno == ENOTDIR) return fs::path();
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "Cannot tell where " + link.string() + " leads: " + std::strerror(errno) + "."};
}

int open_real(const fs::path& file, int flags) {
    // Nothing that waits for somebody at its other end is waited for.
    flags |= O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    mode_t mode = (flags & O_CREAT) != 0 ? 0666 : 0;
    open_how how{.flags = static_cast<std::uint64_t>(flags), .mode = mode, .resolve = RESOLVE_NO_SYMLINKS};
    long fd = ::syscall(SYS_openat2, AT_FDCWD, file.c_str(), &how, sizeof how);
    // Older kernels, and sandboxes that do not know the call, leave the last part of the path to us.
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) fd = ::open(file.c_str(), flags | O_NOFOLLOW, mode);
    return static_cast<int>(fd);
}

}  // namespace

Result<fs::path> real_path(const fs::path& path) {
    std::deque<fs::path> rest(path.begin(), path.end());
    fs::path real = "/";
    for (int links = 0; !rest.empty();) {
        fs::path part = std::move(rest.front());
        rest.pop_front();
        if (part == "..") real = real.parent_path();
        if (part.empty() || part == "/" || part == "." || part == "..") continue;
        fs::path target = TRY(target_of(real / part));
        if (target.empty()) {
            real /= part;
            continue;
        }
        if (++links > kMostLinks)
            return Error{.code = ErrorCode::PolicyDenied,
                         .message = path.string() + " leads through too many links."};
        if (target.is_absolute()) real = "/";
        rest.insert(rest.begin(), target.begin(), target.end());
    }
    return real;
}

bool is_inside(const fs::path& directory, const fs::path& file) {
    auto [rest, unused] = std::mismatch(directory.begin(), directory.end(), file.begin(), file.end());
    return rest == directory.end();
}

Result<Descriptor> open_without_links(const fs::path& file, int flags) {
    Descriptor opened(open_real(file, flags));
    if (opened.get() < 0) {
        ErrorCode code = errno == ELOOP    ? ErrorCode::PolicyDenied
                         : errno == ENOENT ? ErrorCode::NotFound
                                           : ErrorCode::ResourceExhausted;
        return Error{.code = code,
                     .message = "Cannot open " + file.string() + ": " + std::strerror(errno) + "."};
    }
    struct stat about{};
    if (::fstat(opened.get(), &about) != 0 || !S_ISREG(about.st_mode))
        return Error{.code = ErrorCode::InvalidArgument, .message = file.string() + " is not a file."};
    return opened;
}

}  // namespace session
