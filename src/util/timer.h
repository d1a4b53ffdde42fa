// A timer whose callback never outlives it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "util/async.h"

// Calls back once, on the loop. A bare steady_timer does so even after it was cancelled, restarted or
// destroyed, when its handler waits in the loop's queue already; this one does not.
class Timer {
public:
    explicit Timer(Loop& loop) : timer_(loop) {}

    // In place of what was started before.
    template <class Callback>
    void start(std::chrono::steady_clock::duration delay, Callback callback) {
        current_ = std::make_shared<char>();
        timer_.expires_after(delay);
        timer_.async_wait([weak = std::weak_ptr(current_),
                           callback = std::move(callback)](boost::system::error_code error) mutable {
            if (!error && !weak.expired()) callback();
        });
    }
    void cancel() {
        current_.reset();
        timer_.cancel();
    }
    // When the callback is due, or was.
    std::chrono::steady_clock::time_point expiry() const { return timer_.expiry(); }

private:
    std::shared_ptr<char> current_;  // dropped when the callback is no longer wanted
    boost::asio::steady_timer timer_;
};
