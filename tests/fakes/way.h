// A way to the network that a test decides about.
#pragma once

#include "engine/way.h"

namespace fakes {

// Lets the requests pass that `may_request` is true for.
inline std::shared_ptr<engine::Way> way_that(std::function<bool(const std::string& url)> may_request) {
    auto way = std::make_shared<engine::Way>();
    way->may_request = [may_request = std::move(may_request)](const std::string& url, const engine::Holder*) {
        return may_request(url);
    };
    return way;
}

}  // namespace fakes
