#include "mcp/subscriptions.h"

#include <vector>

namespace mcp {

bool SubscriptionFilter::wants(tools::Kind kind, std::string_view updated_uri) const {
    if (!updated_uri.empty()) return uris.contains(updated_uri);
    switch (kind) {
        case tools::Kind::Tools:
            return tools;
        case tools::Kind::Prompts:
            return prompts;
        case tools::Kind::Resources:
            return resources;
    }
    return false;
}

Subscriptions::Listener::Listener(Subscriptions& hub, SubscriptionFilter wanted, Deliver how)
    : filter(std::move(wanted)),
      deliver(std::move(how)),
      hub_(hub),
      place_(hub.listeners_.insert(hub.listeners_.end(), this)) {}

Subscriptions::Listener::~Listener() { hub_.listeners_.erase(place_); }

void Subscriptions::publish(tools::Kind kind, std::string_view updated_uri) {
    std::string_view method = !updated_uri.empty()           ? "notifications/resources/updated"
                              : kind == tools::Kind::Tools   ? "notifications/tools/list_changed"
                              : kind == tools::Kind::Prompts ? "notifications/prompts/list_changed"
                                                             : "notifications/resources/list_changed";
    // Delivering only queues bytes, so no listener comes or goes meanwhile.
    for (Listener* listener : listeners_) {
        if (listener->filter.wants(kind, updated_uri)) listener->deliver(method, updated_uri);
    }
}

void Subscriptions::shut_down() {
    for (Listener* listener : listeners_) {
        if (listener->on_shutdown) listener->on_shutdown();
    }
}

}  // namespace mcp
