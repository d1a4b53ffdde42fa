#include "store/session_leases.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "util/crypto.h"

namespace store {
namespace {

// A range begins at the id's hash and has the owner's process id as its length, so that other processes learn
// the owner. Linux has no greater process id than 2^22.
constexpr int kRangeBits = 23;
constexpr int kHashBits = 39;

std::int64_t start_of(const std::string& id) {
    std::string hash = sha256(id);
    std::uint64_t number = 0;
    std::memcpy(&number, hash.data(), sizeof number);
    return static_cast<std::int64_t>(number >> (64 - kHashBits)) << kRangeBits;
}

struct flock range(std::int64_t start, std::int64_t length, short type) {
    struct flock lock = {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return lock;
}

constexpr std::int64_t kWholeRange = std::int64_t{1} << kRangeBits;

}  // namespace

Result<std::shared_ptr<SessionLeases>> SessionLeases::open(const std::filesystem::path& file) {
    Descriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (opened.get() < 0)
        return Error{.message = "Cannot create " + file.string() + ": " + std::strerror(errno) + "."};
    return std::shared_ptr<SessionLeases>(new SessionLeases(std::move(opened)));
}

std::shared_ptr<SessionLeases> SessionLeases::open_existing(const std::filesystem::path& file) {
    Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (opened.get() < 0) return nullptr;
    return std::shared_ptr<SessionLeases>(new SessionLeases(std::move(opened)));
}

std::shared_ptr<void> SessionLeases::take(const std::shared_ptr<SessionLeases>& leases,
                                          const std::string& id) {
    std::int64_t start = start_of(id);
    std::weak_ptr<void>& held = leases->held_[start];
    // Two ids of one hash share the range; it is free when both are released.
    if (auto mine = held.lock()) return mine;
    if (leases->holder(id) != 0) return nullptr;
    struct flock lock = range(start, ::getpid(), F_WRLCK);
    // A file system without such locks refuses no lease.
    bool is_taken =
        ::fcntl(leases->file_.get(), F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES);
    if (is_taken) return nullptr;
    auto release = [leases, start](void*) {
        struct flock unlock = range(start, kWholeRange, F_UNLCK);
        (void)::fcntl(leases->file_.get(), F_OFD_SETLK, &unlock);
        leases->held_.erase(start);
    };
    std::shared_ptr<void> lease(leases.get(), release);
    held = lease;
    return lease;
}

bool SessionLeases::has_others() const {
    struct flock lock = range(0, 0, F_WRLCK);
    return ::fcntl(file_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool SessionLeases::is_free(const std::string& id) const {
    struct flock lock = range(start_of(id), kWholeRange, F_WRLCK);
    return ::fcntl(file_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

pid_t SessionLeases::holder(const std::string& id) const {
    struct flock lock = range(start_of(id), kWholeRange, F_WRLCK);
    if (::fcntl(file_.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
    return static_cast<pid_t>(lock.l_len);
}

}  // namespace store
