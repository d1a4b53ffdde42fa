// Answering requests in a server's place, blocking them, or sending them on with other headers.
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
    // Fails with InvalidArgument for a pattern that is none.
    static Result<Routes> create(std::vector<engine::Route> routes);

    const std::vector<engine::Route>& all() const { return routes_; }
    bool empty() const { return routes_.empty(); }
    // Deals with a request that Fetch.requestPaused told of; false when no route matches it.
    bool take(Session& session, const json::object& paused) const;

private:
    const engine::Route* find(const std::string& url, const std::string& resource_type) const;

    std::vector<engine::Route> routes_;
    std::vector<engine::Glob> patterns_;
};

}  // namespace cdp
