// Which resources of sessions' servers are subscribed to.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "session/sessions.h"

namespace upstream {

// Subscribes to each resource of a session once, however many listeners it has, and remembers the
// subscriptions for the next server of the session. Lives on the loop.
class ResourceWatches : public std::enable_shared_from_this<ResourceWatches> {
public:
    // Sends resources/subscribe or resources/unsubscribe to the session's server, if it runs.
    using Send = std::function<void(const session::SessionKey& key, const std::string& method,
                                    const std::string& uri)>;

    explicit ResourceWatches(Send send) : send_(std::move(send)) {}

    // Dropping the handle ends the watch.
    std::shared_ptr<void> add(session::SessionKey key, std::string uri);
    std::vector<std::string> uris(const session::SessionKey& key) const;

private:
    void remove(const session::SessionKey& key, const std::string& uri);

    Send send_;
    std::map<session::SessionKey, std::map<std::string, std::size_t>> watched_;  // how many handles
};

}  // namespace upstream
