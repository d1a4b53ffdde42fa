#include "store/file_lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace store {
namespace {

Descriptor open_lock(const std::filesystem::path& file) {
    return Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

}  // namespace

Result<FileLock> FileLock::share(const std::filesystem::path& file) {
    Descriptor lock = open_lock(file);
    if (lock.get() < 0)
        return Error{.message = "Cannot create " + file.string() + ": " + std::strerror(errno) + "."};
    if (::flock(lock.get(), LOCK_SH | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return Error{.message = "Cannot lock " + file.string() + ": " + std::strerror(errno) + "."};
        char pid[16] = {};
        ssize_t length = ::pread(lock.get(), pid, sizeof pid - 1, 0);
        std::string holder =
            length > 0 ? "process " + std::string(pid, std::strcspn(pid, "\n")) : "another process";
        return Error{.code = ErrorCode::ResourceExhausted,
                     .message = "The record is in use by " + holder + ".",
                     .hint = "End that server, or give this one a store.path of its own.",
                     .details = file.string()};
    }
    std::string pid = std::to_string(::getpid()) + "\n";
    // The process id is only shown to others: a disk without room for it does not prevent the lock.
    if (::ftruncate(lock.get(), 0) != 0 || ::pwrite(lock.get(), pid.data(), pid.size(), 0) < 0) errno = 0;
    return FileLock(std::move(lock));
}

std::optional<FileLock> FileLock::take_within(const std::filesystem::path& file,
                                              std::chrono::milliseconds timeout) {
    constexpr std::chrono::milliseconds kPoll{5};
    Descriptor lock = open_lock(file);
    if (lock.get() < 0) return std::nullopt;
    auto until = std::chrono::steady_clock::now() + timeout;
    while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= until) return std::nullopt;
        std::this_thread::sleep_for(kPoll);
    }
    return FileLock(std::move(lock));
}

}  // namespace store
