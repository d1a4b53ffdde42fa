// A way to the network that a test decides about.
#pragma once

#include "engine/network_access.h"

namespace fakes {

// Lets the requests pass that `may_request` is true for.
inline std::shared_ptr<engine::NetworkAccess> network_access_that(
    std::function<bool(const std::string& url)> may_request) {
    auto network_access = std::make_shared<engine::NetworkAccess>();
    network_access->may_request = [may_request = std::move(may_request)](const std::string& url,
                                                                         const engine::SessionIdentity*) {
        return may_request(url);
    };
    return network_access;
}

}  // namespace fakes
