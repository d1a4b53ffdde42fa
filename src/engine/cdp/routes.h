// Mocks, blocks or modifies requests by pattern.
#pragma once

#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/glob.h"
#include "engine/types.h"

namespace cdp {

// The routes of a context, shared by all its pages.
class Routes {
public:
    Routes() = default;
    // Fails with InvalidArgument for an invalid pattern.
    static Result<Routes> create(std::vector<engine::Route> routes);

    const std::vector<engine::Route>& all() const { return routes_; }
    bool empty() const { return routes_.empty(); }
    // Handles a request from Fetch.requestPaused; returns false if no route matches it.
    bool take(Session& session, const json::object& paused) const;

private:
    const engine::Route* find(const std::string& url, const std::string& resource_type) const;

    std::vector<engine::Route> routes_;
    std::vector<engine::Glob> patterns_;
};

}  // namespace cdp
