// Whose a tab of somebody else's browser is, where several sessions and several servers work in it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "util/spawn.h"

namespace engine {

// A tab is this claim's until the claim is dropped, or our process dies.
class TabClaim {
public:
    explicit TabClaim(Descriptor file) : file_(std::move(file)) {}

private:
    Descriptor file_;
};

// One file for all servers of a user. Each tab, named by its target id, is one byte in it that the kernel
// locks: a claim takes effect at once, for sessions of this process as for other processes.
class TabClaims {
public:
    explicit TabClaims(std::filesystem::path file) : file_(std::move(file)) {}

    // Nothing when somebody has the tab. Where the file cannot be written or locked, everything can be had.
    std::optional<TabClaim> claim(const std::string& tab) const;
    bool is_claimed(const std::string& tab) const;

private:
    Descriptor open() const;

    std::filesystem::path file_;
};

}  // namespace engine
