#include "upstream/keeper.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace upstream {
namespace {

// From Linux 6.3 on it must be said that a file in memory is a program; before, it must not be.
constexpr unsigned kExecutable = 0x10U;

Error cannot_keep() {
    return {.code = ErrorCode::ResourceExhausted,
            .message = std::string("The program that looks after MCP servers cannot be put into memory: ") +
                       std::strerror(errno) + ".",
            .hint = "The upstream engine needs memfd_create."};
}

}  // namespace

Result<Keeper> Keeper::create() {
    Descriptor file(::memfd_create("troupe-keeper", MFD_CLOEXEC | kExecutable));
    if (file.get() < 0) file = Descriptor(::memfd_create("troupe-keeper", MFD_CLOEXEC));
    if (file.get() < 0) return cannot_keep();
    for (std::string_view rest = keeper_program(); !rest.empty();) {
        ssize_t written = ::write(file.get(), rest.data(), rest.size());
        if (written < 0 && errno != EINTR) return cannot_keep();
        if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return Keeper(std::move(file));
}

}  // namespace upstream
