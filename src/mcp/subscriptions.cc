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

Result<void> may_subscribe(const std::string& uri, const tools::Registry& registry,
                           const tools::CallGate* gate, tools::Caller caller) {
    bool is_known = false;
    const tools::Caller asking = caller;
    for (const auto& provider : registry.resources()) {
        auto access = provider->reading(uri);
        if (!access) continue;
        is_known = is_known || provider->may_exist(uri, asking);
        if (!access->session.empty()) caller.session_name = access->session;
        if (gate) TRY(gate->permit(access->as.as_tool(), caller));
    }
    if (is_known) return ok();
    return Error{.code = ErrorCode::NotFound,
                 .message = "Resource not found: " + uri,
                 .hint = "resources/list and resources/templates/list show what there is."};
}

std::shared_ptr<void> watch_resource(const std::string& uri, const tools::Registry& registry,
                                     const tools::Caller& caller) {
    for (const auto& provider : registry.resources()) {
        if (auto watching = provider->watch(uri, caller)) return watching;
    }
    return nullptr;
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
    // Delivering only queues bytes, so the list of listeners cannot change meanwhile.
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
