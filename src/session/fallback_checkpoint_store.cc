#include "session/fallback_checkpoint_store.h"

#include <algorithm>

namespace session {

std::shared_ptr<FallbackCheckpointStore> FallbackCheckpointStore::create(
    Loop& loop, std::shared_ptr<CheckpointStore> disk, Log& log, FallbackOptions options) {
    return std::shared_ptr<FallbackCheckpointStore>(
        new FallbackCheckpointStore(loop, std::move(disk), log, options));
}

Task<> FallbackCheckpointStore::save(std::string id, std::string state) {
    auto self = shared_from_this();
    std::uint64_t number = ++last_number_;
    // Does not use a failing disk: all it got meanwhile would wait in its queue.
    if (!disk_->is_available()) {
        co_await keep(id, std::move(state), {.message = "it cannot be written right now."});
        co_return;
    }
    auto saved = co_await as_result(disk_->save(id, state));
    if (saved)
        drop(id, number);
    else
        co_await keep(id, std::move(state), saved.error());
}

Result<void> FallbackCheckpointStore::keep(const std::string& id, std::string state, const Error& why) {
    auto known = memory_.find(id);
    std::size_t before = known == memory_.end() ? 0 : known->second.text.size();
    if (bytes_ - before + state.size() > options_.max_bytes) {
        return Error{
            .code = ErrorCode::ResourceExhausted,
            .message = "The state of a session can be kept neither on disk nor in memory: " + why.message};
    }
    if (memory_.empty())
        log_.warn("the state of sessions is kept in memory, for the disk does not take it",
                  {{"error", why.message}});
    bytes_ += state.size() - before;
    memory_[id] = {std::move(state), ++last_number_};
    move_later();
    return ok();
}

void FallbackCheckpointStore::drop(const std::string& id, std::uint64_t up_to) {
    auto it = memory_.find(id);
    if (it == memory_.end() || it->second.number > up_to) return;
    bytes_ -= it->second.text.size();
    memory_.erase(it);
    if (memory_.empty()) log_.info("the state of sessions is on disk again");
}

Task<std::optional<std::string>> FallbackCheckpointStore::load(std::string id) {
    auto self = shared_from_this();
    if (auto it = memory_.find(id); it != memory_.end()) co_return it->second.text;
    co_return co_await disk_->load(std::move(id));
}

void FallbackCheckpointStore::forget(std::string id) {
    drop(id, last_number_);
    disk_->forget(std::move(id));
}

Task<std::vector<std::string>> FallbackCheckpointStore::ids() {
    auto self = shared_from_this();
    std::vector<std::string> ids = co_await disk_->ids();
    for (const auto& [id, state] : memory_) {
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    co_return ids;
}

void FallbackCheckpointStore::move_later() {
    if (memory_.empty() || std::exchange(is_scheduled_, true)) return;
    timer_.expires_after(options_.retry);
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
        auto self = weak.lock();
        if (error || !self) return;
        self->moving_ = start(self->move_to_disk(), [weak](Result<void>) {
            auto again = weak.lock();
            if (!again) return;
            again->is_scheduled_ = false;
            again->move_later();
        });
    });
}

// State that is saved again meanwhile stays until that is on disk, too. The task borrows the checkpoint
// store, which owns it.
Task<> FallbackCheckpointStore::move_to_disk() {
    for (const auto& [id, state] : std::map(memory_)) {
        if (!disk_->is_available()) co_return;
        auto known = memory_.find(id);
        if (known == memory_.end() || known->second.number != state.number) continue;
        if (!co_await as_result(disk_->save(id, state.text))) co_return;
        drop(id, state.number);
    }
}

}  // namespace session
