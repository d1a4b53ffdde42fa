#include "upstream/memory_file.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace upstream {
namespace {

// Linux 6.3 and later want a flag for executable memory files; earlier kernels reject it.
constexpr unsigned kExecutable = 0x10U;

Error cannot_make(const char* name) {
    return {.code = ErrorCode::ResourceExhausted,
            .message = std::string(name) + " cannot be put into memory: " + std::strerror(errno) + ".",
            .hint = "The upstream engine needs memfd_create."};
}

}  // namespace

Result<Descriptor> memory_file(const char* name, std::string_view bytes) {
    Descriptor file(::memfd_create(name, MFD_CLOEXEC | kExecutable));
    if (file.get() < 0) file = Descriptor(::memfd_create(name, MFD_CLOEXEC));
    if (file.get() < 0) return cannot_make(name);
    while (!bytes.empty()) {
        ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) return cannot_make(name);
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return file;
}

}  // namespace upstream
