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

constexpr int kMaxLinks = 40;  // like the kernel

// Empty when the path is no link.
Result<fs::path> target_of(const fs::path& link) {
    std::array<char, PATH_MAX> text;
    ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
    if (length >= 0) return fs::path(std::string_view(text.data(), static_cast<std::size_t>(length)));
    if (errno == EINVAL || errno == ENOENT || errno == ENOTDIR) return fs::path();
    return Error{
        .code = ErrorCode::PolicyDenied,
        .message = "Cannot find out where " + link.string() + " leads: " + std::strerror(errno) + "."};
}

// Opens one step of a path: a directory and no link.
int step_into(int directory, const fs::path& part) {
    return ::openat(directory, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Opens a file step by step, for older kernels and for sandboxes that do not know openat2.
int walk_to(const fs::path& file, int flags, mode_t mode) {
    Descriptor directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (const fs::path& part : file.parent_path().relative_path()) {
        Descriptor next(step_into(directory.get(), part));
        if (next.get() < 0) return -1;
        directory = std::move(next);
    }
    return ::openat(directory.get(), file.filename().c_str(), flags | O_NOFOLLOW, mode);
}

int open_real(const fs::path& file, int flags, mode_t given) {
    // Never waits for the other end of a FIFO or device.
    flags |= O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    mode_t mode = (flags & O_CREAT) != 0 ? given : 0;
    open_how how{.flags = static_cast<std::uint64_t>(flags), .mode = mode, .resolve = RESOLVE_NO_SYMLINKS};
    long fd = ::syscall(SYS_openat2, AT_FDCWD, file.c_str(), &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return walk_to(file, flags, mode);
    return static_cast<int>(fd);
}

Error open_error(const fs::path& file, int number) {
    ErrorCode code = number == ELOOP    ? ErrorCode::PolicyDenied
                     : number == ENOENT ? ErrorCode::NotFound
                                        : ErrorCode::ResourceExhausted;
    return Error{.code = code,
                 .message = "Cannot open " + file.string() + ": " + std::strerror(number) + "."};
}

// The kernel reports a link in a directory's place as ENOTDIR, too.
int link_or(int number, int directory, const fs::path& part) {
    struct stat about{};
    if (number != ENOTDIR || ::fstatat(directory, part.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0)
        return number;
    return S_ISLNK(about.st_mode) ? ELOOP : number;
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
        if (++links > kMaxLinks)
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

Result<Descriptor> open_without_links(const fs::path& file, int flags, mode_t mode) {
    Descriptor opened(open_real(file, flags, mode));
    if (opened.get() < 0) return open_error(file, errno);
    struct stat about{};
    if (::fstat(opened.get(), &about) != 0 || !S_ISREG(about.st_mode))
        return Error{.code = ErrorCode::InvalidArgument, .message = file.string() + " is not a file."};
    return opened;
}

Result<Descriptor> make_directories_without_links(const fs::path& directory, mode_t mode) {
    Descriptor opened(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (const fs::path& part : directory.relative_path()) {
        Descriptor next(step_into(opened.get(), part));
        if (next.get() < 0 && errno == ENOENT) {
            if (::mkdirat(opened.get(), part.c_str(), mode) != 0 && errno != EEXIST)
                return open_error(directory, errno);
            next = Descriptor(step_into(opened.get(), part));
        }
        if (next.get() < 0) return open_error(directory, link_or(errno, opened.get(), part));
        opened = std::move(next);
    }
    return opened;
}

}  // namespace session
