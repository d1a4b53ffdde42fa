// Tracks which clients with lasting connections are absent at the moment.
#pragma once

#include <map>
#include <string>

#include "mcp/peer.h"

namespace mcp {

// Maps each connection's id to its peer. Lives on the main loop.
class Presence {
public:
    void add(const std::string& connection, const Peer& peer) { peers_[connection] = &peer; }
    void remove(const std::string& connection) { peers_.erase(connection); }
    // False for an unknown connection.
    bool is_absent(const std::string& connection) const {
        auto peer = peers_.find(connection);
        return peer != peers_.end() && peer->second->is_absent();
    }

private:
    std::map<std::string, const Peer*> peers_;
};

}  // namespace mcp
