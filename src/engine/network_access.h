// Network access of a context's pages.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace engine {

// The session that owns a context or page, for access decisions and logs.
struct SessionIdentity {
    std::string session = {};    // the session's name
    std::string principal = {};  // the authenticated user
};

// Created with the context, which owns it. Gets its identity when the context is assigned.
struct NetworkAccess {
    // Called for every request of every page, with its owner's identity; null: no known owner. Returning
    // false blocks the request. Empty allows all.
    std::function<bool(const std::string& url, const SessionIdentity* identity)> may_request = {};
    // Called when a page looks for WebRTC peers without the proxy, which the browser blocks. Gets the servers
    // and the owner's identity. May be empty.
    std::function<void(const std::string& servers, const SessionIdentity* identity)> peers_sought = {};
    std::string proxy_server = {};          // used by every connection; empty: the browser's own
    std::shared_ptr<void> proxy_port = {};  // keeps that proxy's port open
    std::shared_ptr<const SessionIdentity> identity = {};
    // Identities of single pages, by page id, when sessions share the context.
    std::map<std::string, std::shared_ptr<const SessionIdentity>> page_identities = {};

    // A popup has its opener's identity until it gets its own.
    const SessionIdentity* identity_of(const std::string& page, const std::string& opener) const {
        for (const std::string& id : {page, opener}) {
            if (auto found = page_identities.find(id); found != page_identities.end())
                return found->second.get();
        }
        return identity.get();
    }
};

}  // namespace engine
