#include "tools/resource_news.h"

namespace tools {
namespace {

using session::SessionKey;

using session::TabEvent;

// A page that opens comes with several events; one notification is enough.
constexpr std::chrono::milliseconds kMoment{100};

// The resources of a tab that an event changes.
std::set<ResourceKind> changed_by(TabEvent event) {
    switch (event) {
        case TabEvent::Opened:
        case TabEvent::Navigated:
        case TabEvent::Loaded:
        case TabEvent::Closed:
            return {ResourceKind::Page, ResourceKind::Snapshot, ResourceKind::NetworkLog};
        case TabEvent::Changed:
            return {ResourceKind::Page, ResourceKind::Snapshot};
        case TabEvent::Logged:
            return {ResourceKind::Page};
        case TabEvent::Requested:
            return {ResourceKind::NetworkLog};
        case TabEvent::ToolsChanged:
        case TabEvent::GotFile:
            break;
    }
    return {};
}

}  // namespace

ResourceNews::ResourceNews(Loop& loop, Registry& registry, SessionCatalog whose)
    : registry_(registry), whose_(std::move(whose)), timer_(loop) {}

ResourceNews::Changes& ResourceNews::changes_of(const SessionKey& key) {
    if (changes_.empty()) {
        timer_.start(kMoment, [this] { notify(); });
    }
    return changes_[key];
}

void ResourceNews::session_changed(const SessionKey& key) {
    Changes& changes = changes_of(key);
    changes.list = changes.session = true;
}

void ResourceNews::tab_changed(const SessionKey& key, const std::string& tab, session::TabEvent event) {
    Changes& changes = changes_of(key);
    bool came_or_went = event == TabEvent::Opened || event == TabEvent::Closed;
    changes.tools |= event == TabEvent::ToolsChanged;
    changes.list |= came_or_went || event == TabEvent::GotFile;
    changes.session |= came_or_went || event == TabEvent::Navigated || event == TabEvent::Loaded;
    if (auto kinds = changed_by(event); !kinds.empty()) changes.tabs[tab].merge(kinds);
}

void ResourceNews::notify() {
    for (const auto& [key, changes] : std::exchange(changes_, {})) notify(key, changes);
}

// A caller's own session that also has a name has two addresses.
void ResourceNews::notify(const SessionKey& key, const Changes& changes) const {
    Audience own = [&](const Caller& caller) { return whose_.key_of(caller) == key; };
    Audience by_name = [&](const Caller& caller) {
        return !key.name.empty() && whose_.owner_of(caller) == key.owner;
    };
    Audience either = [&](const Caller& caller) { return own(caller) || by_name(caller); };
    if (changes.tools) registry_.own_tools_changed(either);
    if (changes.list) registry_.resource_list_changed(either);
    for (const auto& [name, audience] : {std::pair(std::string(), &own), std::pair(key.name, &by_name)}) {
        if (changes.session)
            registry_.resource_updated(to_uri({.kind = ResourceKind::Session, .session = name}), *audience);
        for (const auto& [tab, kinds] : changes.tabs) {
            for (ResourceKind kind : kinds)
                registry_.resource_updated(to_uri({.kind = kind, .session = name, .page = tab}), *audience);
        }
    }
}

}  // namespace tools
