// Browser contexts that are ready before anybody asks for them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/browser.h"

namespace session {

// A context and its first page, which nobody has seen yet.
struct PreparedContext {
    std::shared_ptr<engine::Context> context;
    std::shared_ptr<engine::Page> page;
    std::shared_ptr<engine::Way> way = {};  // its own, where rules hold
};

// Opens a context with a page.
Task<PreparedContext> prepare_context(std::shared_ptr<engine::Browser> browser,
                                      engine::ContextOptions options, Deadline deadline);
// Has the page do once what every call does, so that the first call finds script and caches in place.
Task<> warm_up(PreparedContext prepared, Deadline deadline);

// Whether contexts made with either are alike. Each has a way of its own to the network.
bool are_alike(const engine::ContextOptions& one, const engine::ContextOptions& other);

// The stock of one browser. Lives on the main loop.
class WarmContexts {
public:
    void add(PreparedContext prepared, engine::ContextOptions options);
    // One that was made with such options.
    std::optional<PreparedContext> take(const engine::ContextOptions& options);
    // Gives those up that were made with other options, or that have broken since.
    void keep_only(const engine::ContextOptions& options);
    std::size_t size() const { return stock_.size(); }
    void clear() { stock_.clear(); }

private:
    struct Entry {
        PreparedContext prepared;
        engine::ContextOptions options;
    };
    std::vector<Entry> stock_;
};

}  // namespace session
