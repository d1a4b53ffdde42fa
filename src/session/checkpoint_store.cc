#include "session/checkpoint_store.h"

namespace session {

Task<> MemoryCheckpointStore::save(std::string id, std::string state) {
    forget(id);
    ages_.push_back(id);
    kept_.emplace(std::move(id), Kept{std::move(state), std::prev(ages_.end())});
    while (kept_.size() > max_count_) forget(ages_.front());
    co_return;
}

Task<std::optional<std::string>> MemoryCheckpointStore::load(std::string id) {
    auto it = kept_.find(id);
    if (it == kept_.end()) co_return std::nullopt;
    co_return it->second.state;
}

void MemoryCheckpointStore::forget(std::string id) {
    auto it = kept_.find(id);
    if (it == kept_.end()) return;
    ages_.erase(it->second.age);
    kept_.erase(it);
}

Task<std::vector<std::string>> MemoryCheckpointStore::ids() {
    std::vector<std::string> ids;
    for (const auto& [id, kept] : kept_) ids.push_back(id);
    co_return ids;
}

}  // namespace session
