// Telling subscribers what became of their sessions' resources.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tools/registry.h"
#include "tools/sessions.h"

namespace tools {

// Tells the owner of a session, and nobody else. What happens within a moment is told once. Lives on the main
// loop.
class ResourceNews {
public:
    // Of the catalog, what says whose a session is.
    ResourceNews(Loop& loop, Registry& registry, SessionCatalog whose);

    // It came, went, fell asleep or woke up.
    void session_changed(const session::SessionKey& key);
    void tab_changed(const session::SessionKey& key, const std::string& tab, session::TabEvent event);

private:
    struct Changes {
        bool list = false, tools = false;
        std::set<std::string> tabs;
    };
    Changes& changes_of(const session::SessionKey& key);
    void tell();
    void tell(const session::SessionKey& key, const Changes& changes) const;

    Registry& registry_;
    SessionCatalog whose_;
    std::map<session::SessionKey, Changes> changes_;
    boost::asio::steady_timer timer_;
};

}  // namespace tools
