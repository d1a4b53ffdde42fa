// Keeps state on disk, or in memory while the disk cannot be written.
#pragma once

#include <map>
#include <memory>

#include "session/checkpoint_store.h"
#include "util/async.h"
#include "util/log.h"

namespace session {

struct FallbackOptions {
    // Max state in memory. State that does not fit is refused: the session then keeps its browser.
    std::size_t max_bytes = std::size_t{256} << 20;
    std::chrono::milliseconds retry{1'000};  // between two attempts to move state to the disk
};

// Saves to `disk` until that fails. State saved in memory moves to the disk once it works again. Lives on the
// main loop.
class FallbackCheckpointStore final : public CheckpointStore,
                                      public std::enable_shared_from_this<FallbackCheckpointStore> {
public:
    // Borrows the log.
    static std::shared_ptr<FallbackCheckpointStore> create(Loop& loop, std::shared_ptr<CheckpointStore> disk,
                                                           Log& log, FallbackOptions options = {});

    Task<> save(std::string id, std::string state) override;
    Task<std::optional<std::string>> load(std::string id) override;
    void forget(std::string id) override;
    Task<std::vector<std::string>> ids() override;
    bool is_lasting() const override { return disk_->is_lasting(); }
    std::shared_ptr<void> lease(const std::string& id) override { return disk_->lease(id); }
    pid_t lease_holder(const std::string& id) const override { return disk_->lease_holder(id); }

    // States that only memory has.
    std::size_t in_memory() const { return memory_.size(); }

private:
    struct State {
        std::string text;
        std::uint64_t number;  // of the save
    };

    FallbackCheckpointStore(Loop& loop, std::shared_ptr<CheckpointStore> disk, Log& log,
                            FallbackOptions options)
        : disk_(std::move(disk)), log_(log), options_(options), timer_(loop) {}
    Result<void> keep(const std::string& id, std::string state, const Error& why);
    void drop(const std::string& id, std::uint64_t up_to);
    void move_later();
    Task<> move_to_disk();

    std::shared_ptr<CheckpointStore> disk_;
    Log& log_;
    FallbackOptions options_;
    std::map<std::string, State> memory_;
    std::size_t bytes_ = 0;
    std::uint64_t last_number_ = 0;
    boost::asio::steady_timer timer_;
    bool is_scheduled_ = false;
    Running moving_;
};

}  // namespace session
