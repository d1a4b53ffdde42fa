// Ownership of an external browser's tabs, shared by several sessions and servers.
#pragma once

#include <optional>
#include <string>

#include "util/spawn.h"

namespace engine {

// Owns a tab until the claim is dropped or our process dies.
class TabClaim {
public:
    explicit TabClaim(Descriptor socket) : socket_(std::move(socket)) {}

private:
    Descriptor socket_;
};

// Each tab, by its target id, is the name of a Unix socket that the kernel gives to one holder: a claim takes
// effect at once, for sessions of this process and for servers of every user and state directory on this
// machine.
class TabClaims {
public:
    // Claims in another `space` are independent; each test uses its own.
    explicit TabClaims(std::string space) : space_(std::move(space)) {}

    // Nothing if the tab is already claimed. Where such sockets do not exist, every claim succeeds.
    std::optional<TabClaim> claim(const std::string& tab) const;
    bool is_claimed(const std::string& tab) const;

private:
    std::string space_;
};

}  // namespace engine
