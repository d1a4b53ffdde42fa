#include "mcp/subscriptions.h"

#include <vector>

namespace mcp {

bool SubscriptionFilter::wants(const tools::Change& change) const {
    if (!change.updated_uri.empty()) return uris.contains(change.updated_uri);
    switch (change.kind) {
        case tools::Kind::Tools:
            return tools;
        case tools::Kind::Prompts:
            return prompts;
        case tools::Kind::Resources:
            return resources;
    }
    return false;
}

Subscriptions::Listener::Listener(Subscriptions& hub, tools::Caller who, SubscriptionFilter wanted,
                                  Deliver how)
    : caller(std::move(who)),
      filter(std::move(wanted)),
      deliver(std::move(how)),
      hub_(hub),
      place_(hub.listeners_.insert(hub.listeners_.end(), this)) {}

Subscriptions::Listener::~Listener() { hub_.listeners_.erase(place_); }

void Subscriptions::publish(const tools::Change& change) {
    std::string_view uri = change.updated_uri;
    std::string_view method = !uri.empty()                          ? "notifications/resources/updated"
                              : change.kind == tools::Kind::Tools   ? "notifications/tools/list_changed"
                              : change.kind == tools::Kind::Prompts ? "notifications/prompts/list_changed"
                                                                    : "notifications/resources/list_changed";
    // Delivering only queues bytes, so no listener comes or goes meanwhile.
    for (Listener* listener : listeners_) {
        if (!listener->filter.wants(change)) continue;
        if (!change.audience || change.audience(listener->caller)) listener->deliver(method, uri);
    }
}

void Subscriptions::shut_down() {
    has_shut_down_ = true;
    for (Listener* listener : listeners_) {
        if (listener->on_shutdown) listener->on_shutdown();
    }
}

}  // namespace mcp
