#include "engine/tab_claims.h"

#include <cerrno>
#include <fcntl.h>

#include "util/crypto.h"

namespace engine {
namespace {

// Target ids are long random numbers, and so is a tab's place in the file, which stays empty.
struct flock lock_of(const std::string& tab, short type) {
    std::string digest = sha256(tab);
    off_t place = 0;
    for (std::size_t i = 0; i < 7; ++i) place = place << 8 | static_cast<unsigned char>(digest[i]);
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = place;
    lock.l_len = 1;
    return lock;
}

}  // namespace

Descriptor TabClaims::open() const {
    std::error_code failed;
    std::filesystem::create_directories(file_.parent_path(), failed);
    return Descriptor(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
}

std::optional<TabClaim> TabClaims::claim(const std::string& tab) const {
    // Locks of one open file do not exclude each other: each claim has its own.
    Descriptor file = open();
    struct flock lock = lock_of(tab, F_WRLCK);
    bool taken = file.get() >= 0 && ::fcntl(file.get(), F_OFD_SETLK, &lock) != 0 &&
                 (errno == EAGAIN || errno == EACCES);
    if (taken) return std::nullopt;
    return TabClaim(std::move(file));
}

bool TabClaims::is_claimed(const std::string& tab) const {
    Descriptor file = open();
    struct flock lock = lock_of(tab, F_WRLCK);
    return file.get() >= 0 && ::fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace engine
