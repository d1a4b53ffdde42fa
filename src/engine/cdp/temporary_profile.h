// Profiles that go with their browser.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "util/spawn.h"

namespace cdp {

// A profile directory with a lock that the kernel drops when we die, however we die.
class TemporaryProfile {
public:
    // `remover`: see engine::LaunchOptions.
    static Result<std::unique_ptr<TemporaryProfile>> create(const std::vector<std::string>& remover);
    TemporaryProfile(const TemporaryProfile&) = delete;
    ~TemporaryProfile();

    const std::filesystem::path& path() const { return path_; }

private:
    TemporaryProfile(std::filesystem::path path, Descriptor lock)
        : path_(std::move(path)), lock_(std::move(lock)) {}
    void start_remover(std::vector<std::string> command);

    std::filesystem::path path_;
    Descriptor lock_;
    Descriptor remover_input_;
    pid_t remover_ = -1;
};

// Removes what servers that died without a remover left behind.
void remove_stale_profiles();
// What a remover does: waits for the end of its input, then removes the directory. Gives the exit status.
int remove_when_orphaned(const std::filesystem::path& directory);

}  // namespace cdp
