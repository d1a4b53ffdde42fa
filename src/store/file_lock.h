// A lock on a file that the kernel drops when its owner dies, however it dies.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "util/result.h"
#include "util/spawn.h"

namespace store {

class FileLock {
public:
    // Shares the lock with other processes. Fails with ResourceExhausted and names the owner's process while
    // one has it alone, as servers of earlier versions do.
    static Result<FileLock> share(const std::filesystem::path& file);
    // Takes the lock alone, once all others have released it. Nothing when they have not within `timeout`, or
    // when the file cannot be opened.
    static std::optional<FileLock> take_within(const std::filesystem::path& file,
                                               std::chrono::milliseconds timeout);

private:
    explicit FileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
    Descriptor descriptor_;
};

}  // namespace store
