// Detects pages that look for WebRTC peers, which no request shows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/network_access.h"

namespace cdp {

// Watches one page, over all its sessions. Costs nothing without a callback. Lives on the main loop.
class PeerWatch {
public:
    PeerWatch(std::shared_ptr<engine::NetworkAccess> network_access, std::string page, std::string opener)
        : network_access_(std::move(network_access)), page_(std::move(page)), opener_(std::move(opener)) {}
    PeerWatch(const PeerWatch&) = delete;

    // Call before the session's documents run.
    void attach(const std::shared_ptr<Session>& session);

private:
    std::shared_ptr<engine::NetworkAccess> network_access_;
    std::string page_, opener_;
    std::vector<Subscription> subscriptions_;
};

}  // namespace cdp
