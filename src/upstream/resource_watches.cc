#include "upstream/resource_watches.h"

namespace upstream {

std::shared_ptr<void> ResourceWatches::add(session::SessionKey key, std::string uri) {
    if (++watched_[key][uri] == 1) send_(key, "resources/subscribe", uri);
    auto remove = [weak = weak_from_this(), key = std::move(key), uri = std::move(uri)](void*) {
        if (auto self = weak.lock()) self->remove(key, uri);
    };
    return {this, std::move(remove)};
}

void ResourceWatches::remove(const session::SessionKey& key, const std::string& uri) {
    auto of_session = watched_.find(key);
    if (--of_session->second[uri] > 0) return;
    of_session->second.erase(uri);
    if (of_session->second.empty()) watched_.erase(of_session);
    send_(key, "resources/unsubscribe", uri);
}

std::vector<std::string> ResourceWatches::uris(const session::SessionKey& key) const {
    std::vector<std::string> uris;
    auto of_session = watched_.find(key);
    if (of_session == watched_.end()) return uris;
    for (const auto& [uri, count] : of_session->second) uris.push_back(uri);
    return uris;
}

}  // namespace upstream
