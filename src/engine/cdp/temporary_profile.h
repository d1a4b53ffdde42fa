// Temporary profiles, removed with their browser.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "util/spawn.h"

namespace cdp {

// A profile directory with a lock that the kernel releases when we die, however we die.
class TemporaryProfile {
public:
    // `remover`: see engine::LaunchOptions.
    static Result<std::unique_ptr<TemporaryProfile>> create(const std::vector<std::string>& remover);
    TemporaryProfile(const TemporaryProfile&) = delete;
    ~TemporaryProfile();

    const std::filesystem::path& path() const { return path_; }

private:
    explicit TemporaryProfile(std::filesystem::path path) : path_(std::move(path)) {}
    void start_remover(std::vector<std::string> command);

    std::filesystem::path path_;
    Descriptor lock_;
    Descriptor remover_input_;
    pid_t remover_ = -1;
};

// The argument by which a browser uses the directory.
std::string user_data_argument(const std::filesystem::path& directory);
// Removes the profiles of servers that died without a remover.
void remove_stale_profiles();
// The remover's main function: waits for the end of its input, then ends the browser that still uses the
// directory, and removes it. Returns the exit status.
int remove_when_orphaned(const std::filesystem::path& directory);

}  // namespace cdp
