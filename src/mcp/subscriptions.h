// Who wants to be told when a list or a resource changes.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "tools/registry.h"

namespace mcp {

// What one listener wants to hear.
struct SubscriptionFilter {
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    std::set<std::string, std::less<>> uris;

    bool wants(const tools::Change& change) const;
};

// Hands every change to the listeners that want it. Lives on the main loop.
class Subscriptions {
public:
    // Gets the notification's method and, for a resource, its URI.
    using Deliver = std::function<void(std::string_view method, std::string_view updated_uri)>;

    // A place in the list of listeners; dropping it ends the subscription.
    class Listener {
    public:
        Listener(Subscriptions& hub, tools::Caller caller, SubscriptionFilter filter, Deliver deliver);
        Listener(const Listener&) = delete;
        ~Listener();
        const tools::Caller caller;
        SubscriptionFilter filter;
        Deliver deliver;
        // Called when the server ends; may be empty.
        std::function<void()> on_shutdown;

    private:
        Subscriptions& hub_;
        std::list<Listener*>::iterator place_;
    };

    void publish(const tools::Change& change);
    // Tells every listener that the server ends.
    void shut_down();
    bool has_shut_down() const { return has_shut_down_; }

private:
    bool has_shut_down_ = false;
    std::list<Listener*> listeners_;
};

}  // namespace mcp
