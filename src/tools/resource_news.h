// Notifies subscribers of changes to their sessions' resources.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tools/registry.h"
#include "tools/resource_address.h"
#include "tools/sessions.h"
#include "util/timer.h"

namespace tools {

// Notifies only the owner of a session. Changes within a short time are combined. Lives on the main loop.
class ResourceNews {
public:
    // Uses `whose` to find the owner of a session.
    ResourceNews(Loop& loop, Registry& registry, SessionCatalog whose);

    // The session began, ended, fell asleep or woke up.
    void session_changed(const session::SessionKey& key);
    void tab_changed(const session::SessionKey& key, const std::string& tab, session::TabEvent event);

private:
    struct Changes {
        bool list = false, tools = false, session = false;
        std::map<std::string, std::set<ResourceKind>> tabs;
    };
    Changes& changes_of(const session::SessionKey& key);
    void notify();
    void notify(const session::SessionKey& key, const Changes& changes) const;

    Registry& registry_;
    SessionCatalog whose_;
    std::map<session::SessionKey, Changes> changes_;
    Timer timer_;
};

}  // namespace tools
