// Hears of pages that look for peers (WebRTC), which no request shows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/way.h"

namespace cdp {

// Of one page, over all its sessions. Costs nothing where nobody wants to know. Lives on the main loop.
class PeerWatch {
public:
    PeerWatch(std::shared_ptr<engine::Way> way, std::string page, std::string opener)
        : way_(std::move(way)), page_(std::move(page)), opener_(std::move(opener)) {}
    PeerWatch(const PeerWatch&) = delete;

    // Before the session's documents run.
    void attach(const std::shared_ptr<Session>& session);

private:
    std::shared_ptr<engine::Way> way_;
    std::string page_, opener_;
    std::vector<Subscription> subscriptions_;
};

}  // namespace cdp
