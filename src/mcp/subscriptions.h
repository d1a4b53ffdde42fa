// Subscriptions to changes of lists and resources.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tools/call_gate.h"
#include "tools/registry.h"

namespace mcp {

// The changes that one listener subscribes to.
struct SubscriptionFilter {
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    // Maps each URI to the watcher that looks for its changes; the watcher may be null.
    std::map<std::string, std::shared_ptr<void>, std::less<>> uris;

    bool wants(const tools::Change& change) const;
};

// Fails when the caller may not subscribe to the resource: as reading it would fail, or with NotFound when no
// resource can have that URI. Without a gate every caller may.
Result<void> may_subscribe(const std::string& uri, const tools::Registry& registry,
                           const tools::CallGate* gate, tools::Caller caller);

// Watches the resource for changes that would not be noticed otherwise.
std::shared_ptr<void> watch_resource(const std::string& uri, const tools::Registry& registry,
                                     const tools::Caller& caller);

// Delivers every change to the listeners that want it. Lives on the main loop.
class Subscriptions {
public:
    // Gets the notification's method and, for a resource, its URI.
    using Deliver = std::function<void(std::string_view method, std::string_view updated_uri)>;

    // An entry in the list of listeners; dropping it ends the subscription.
    class Listener {
    public:
        Listener(Subscriptions& hub, tools::Caller caller, SubscriptionFilter filter, Deliver deliver);
        Listener(const Listener&) = delete;
        ~Listener();
        const tools::Caller caller;
        SubscriptionFilter filter;
        Deliver deliver;
        // Called when the server shuts down; may be empty.
        std::function<void()> on_shutdown;

    private:
        Subscriptions& hub_;
        std::list<Listener*>::iterator place_;
    };

    void publish(const tools::Change& change);
    // Notifies every listener that the server is shutting down.
    void shut_down();
    bool has_shut_down() const { return has_shut_down_; }

private:
    bool has_shut_down_ = false;
    std::list<Listener*> listeners_;
};

}  // namespace mcp
