// A lock on a file that the kernel drops when its holder dies, however it dies.
#pragma once

#include <filesystem>

#include "util/result.h"
#include "util/spawn.h"

namespace store {

class FileLock {
public:
    // Fails with ResourceExhausted, naming the holder's process, when somebody else has it.
    static Result<FileLock> take(const std::filesystem::path& file);

private:
    explicit FileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
    Descriptor descriptor_;
};

}  // namespace store
