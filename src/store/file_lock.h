// A lock on a file that the kernel drops when its holder dies, however it dies.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "util/result.h"
#include "util/spawn.h"

namespace store {

class FileLock {
public:
    // Together with others who share it. Fails with ResourceExhausted, naming the holder's process, while
    // somebody has it alone, as servers of earlier versions do.
    static Result<FileLock> share(const std::filesystem::path& file);
    // Alone, once all others have let go of it. Nothing when they have not within `timeout`, or there is no
    // such file to be had.
    static std::optional<FileLock> take_within(const std::filesystem::path& file,
                                               std::chrono::milliseconds timeout);

private:
    explicit FileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
    Descriptor descriptor_;
};

}  // namespace store
