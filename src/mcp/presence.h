// Which clients that stay are away at the moment.
#pragma once

#include <map>
#include <string>

#include "mcp/peer.h"

namespace mcp {

// Knows the peer of every connection, by the connection's id. Lives on the main loop.
class Presence {
public:
    void add(const std::string& connection, const Peer& peer) { peers_[connection] = &peer; }
    void remove(const std::string& connection) { peers_.erase(connection); }
    // False for a connection that is not there at all.
    bool is_absent(const std::string& connection) const {
        auto peer = peers_.find(connection);
        return peer != peers_.end() && peer->second->is_absent();
    }

private:
    std::map<std::string, const Peer*> peers_;
};

}  // namespace mcp
