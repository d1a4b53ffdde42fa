// Stores the state of sessions that have no browser.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "util/task.h"

namespace session {

// Keeps one text for each id. Lives on the main loop.
class CheckpointStore {
public:
    virtual ~CheckpointStore() = default;

    // Replaces what was saved before. Completes when the state is safe.
    virtual Task<> save(std::string id, std::string state) = 0;
    // Nothing when none was saved.
    virtual Task<std::optional<std::string>> load(std::string id) = 0;
    virtual void forget(std::string id) = 0;
    // The ids that can be loaded.
    virtual Task<std::vector<std::string>> ids() = 0;
    // Whether saving is likely to succeed now.
    virtual bool is_available() const { return true; }
    // Whether saved states outlive this process.
    virtual bool is_lasting() const = 0;

    // Reserves the id until the last copy is dropped; null while another server has it.
    virtual std::shared_ptr<void> lease(const std::string& id) = 0;
    // The process id of the other server that has the lease; 0: none.
    virtual pid_t lease_holder(const std::string& id) const = 0;
};

// Keeps states while the process lives; drops the oldest when there are too many.
class MemoryCheckpointStore final : public CheckpointStore {
public:
    explicit MemoryCheckpointStore(std::size_t max_count = 10'000) : max_count_(max_count) {}

    Task<> save(std::string id, std::string state) override;
    Task<std::optional<std::string>> load(std::string id) override;
    void forget(std::string id) override;
    Task<std::vector<std::string>> ids() override;
    bool is_lasting() const override { return false; }
    // No other server sees into this process.
    std::shared_ptr<void> lease(const std::string&) override { return std::make_shared<int>(); }
    pid_t lease_holder(const std::string&) const override { return 0; }

private:
    struct Kept {
        std::string state;
        std::list<std::string>::iterator age;
    };
    std::size_t max_count_;
    std::map<std::string, Kept> kept_;
    std::list<std::string> ages_;  // the oldest first
};

}  // namespace session
