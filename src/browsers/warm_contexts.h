// Browser contexts that are ready before they are requested.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/browser.h"

namespace browsers {

// An unused context and its first page.
struct PreparedContext {
    std::shared_ptr<engine::Context> context;
    std::shared_ptr<engine::Page> page;
    std::shared_ptr<engine::NetworkAccess> network_access = {};  // its own, when network rules apply
};

// Opens a context with a page.
Task<PreparedContext> prepare_context(std::shared_ptr<engine::Browser> browser,
                                      engine::ContextOptions options, Deadline deadline);
// Does once what every call does, so that the first call finds scripts and caches in place.
Task<> warm_up(PreparedContext prepared, Deadline deadline);

// Whether contexts made with either are alike, apart from each one's own network access.
bool are_alike(const engine::ContextOptions& one, const engine::ContextOptions& other);

// The stock of one browser. Lives on the main loop.
class WarmContexts {
public:
    void add(PreparedContext prepared, engine::ContextOptions options);
    // Takes a context that was made with such options.
    std::optional<PreparedContext> take(const engine::ContextOptions& options);
    // Drops contexts that were made with other options, or that have broken since.
    void keep_only(const engine::ContextOptions& options);
    std::size_t size() const { return ready_.size(); }
    void clear() { ready_.clear(); }

private:
    struct Entry {
        PreparedContext prepared;
        engine::ContextOptions options;
    };
    std::vector<Entry> ready_;
};

}  // namespace browsers
