#include "tools/resource_news.h"

#include "tools/resource_address.h"

namespace tools {
namespace {

using session::SessionKey;

// A page that opens comes with several events; one notification is enough.
constexpr std::chrono::milliseconds kMoment{100};

}  // namespace

ResourceNews::ResourceNews(Loop& loop, Registry& registry, SessionCatalog whose)
    : registry_(registry), whose_(std::move(whose)), timer_(loop) {}

ResourceNews::Changes& ResourceNews::changes_of(const SessionKey& key) {
    if (changes_.empty()) {
        timer_.expires_after(kMoment);
        timer_.async_wait([this](boost::system::error_code cancelled) {
            if (!cancelled) tell();
        });
    }
    return changes_[key];
}

void ResourceNews::session_changed(const SessionKey& key) { changes_of(key).list = true; }

void ResourceNews::tab_changed(const SessionKey& key, const std::string& tab, session::TabEvent event) {
    Changes& changes = changes_of(key);
    if (event == session::TabEvent::ToolsChanged) {
        changes.tools = true;
        return;
    }
    changes.tabs.insert(tab);
    changes.list |= event == session::TabEvent::Opened || event == session::TabEvent::Closed;
}

void ResourceNews::tell() {
    for (const auto& [key, changes] : std::exchange(changes_, {})) tell(key, changes);
}

// The same session has two addresses where it is a caller's own and has a name, too.
void ResourceNews::tell(const SessionKey& key, const Changes& changes) const {
    Audience own = [&](const Caller& caller) { return whose_.key_of(caller) == key; };
    Audience by_name = [&](const Caller& caller) {
        return !key.name.empty() && whose_.owner_of(caller) == key.owner;
    };
    Audience either = [&](const Caller& caller) { return own(caller) || by_name(caller); };
    if (changes.tools) registry_.own_tools_changed(either);
    if (changes.list) registry_.resource_list_changed(either);
    if (!changes.list && changes.tabs.empty()) return;
    for (const auto& [name, audience] : {std::pair(std::string(), &own), std::pair(key.name, &by_name)}) {
        registry_.resource_updated(to_uri({.kind = ResourceKind::Session, .session = name}), *audience);
        for (const std::string& tab : changes.tabs) {
            for (ResourceKind kind : {ResourceKind::Page, ResourceKind::Snapshot, ResourceKind::NetworkLog})
                registry_.resource_updated(to_uri({.kind = kind, .session = name, .page = tab}), *audience);
        }
    }
}

}  // namespace tools
