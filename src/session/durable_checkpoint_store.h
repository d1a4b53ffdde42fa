// Keeps checkpoints in the record: sealed, and available after a restart.
#pragma once

#include "session/checkpoint_store.h"
#include "store/store.h"

namespace session {

class DurableCheckpointStore final : public CheckpointStore {
public:
    // Borrows the store, which must outlive it.
    explicit DurableCheckpointStore(store::Store& store) : store_(store) {}

    Task<> save(std::string id, std::string state) override {
        return store_.save_state(std::move(id), std::move(state));
    }
    Task<std::optional<std::string>> load(std::string id) override {
        return store_.load_state(std::move(id));
    }
    void forget(std::string id) override { store_.forget_state(std::move(id)); }
    Task<std::vector<std::string>> ids() override;
    bool is_available() const override { return store_.health().state == store::Health::State::Ok; }
    bool is_lasting() const override { return true; }
    std::shared_ptr<void> lease(const std::string& id) override { return store_.lease(id); }
    pid_t lease_holder(const std::string& id) const override { return store_.lease_holder(id); }

private:
    store::Store& store_;
};

}  // namespace session
