#include "util/worker.h"

Task<std::shared_ptr<void>> Workers::take(std::shared_ptr<Workers> workers, Loop& loop) {
    struct Asking {
        std::shared_ptr<Workers> workers;
        std::shared_ptr<Waiter> waiter;
        ~Asking() {
            if (waiter) workers->leave(waiter);
        }
    } asking{workers, workers->join(loop)};
    co_await asking.waiter->turn;
    asking.waiter = nullptr;
    co_return std::shared_ptr<void>(workers.get(), [workers](void*) { workers->give_back(); });
}

std::shared_ptr<Workers::Waiter> Workers::join(Loop& loop) {
    auto waiter = std::make_shared<Waiter>(loop);
    std::lock_guard lock(mutex_);
    if (free_ == 0) {
        waiters_.push_back(waiter);
        return waiter;
    }
    --free_;
    waiter->has_place = true;
    waiter->turn.set(true);
    return waiter;
}

void Workers::leave(const std::shared_ptr<Waiter>& waiter) {
    {
        std::lock_guard lock(mutex_);
        std::erase(waiters_, waiter);
        if (!waiter->has_place) return;
    }
    give_back();
}

void Workers::give_back() {
    std::lock_guard lock(mutex_);
    if (waiters_.empty()) {
        ++free_;
        return;
    }
    std::shared_ptr<Waiter> next = waiters_.front();
    waiters_.pop_front();
    next->has_place = true;
    // A waiter has a loop, which cannot end before this is posted.
    boost::asio::post(next->loop, [next] { next->turn.set(true); });
}
