#include "util/timer.h"

#include <functional>
#include <optional>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

class TimerTest : public testing::Test {
protected:
    TimerTest() : bare_(loop) {
        bare_.expires_after(0ms);
        bare_.async_wait([this](boost::system::error_code error) { bare_called_ = !error; });
    }

    // The loop has seen that every timer expired, and has their handlers in its queue.
    void queue_expired() {
        boost::asio::post(loop, [] {});
        loop.run_one();
        ASSERT_FALSE(bare_called_);
        bare_.cancel();
    }
    // Runs what is in the queue. A bare timer's handler comes although the timer was cancelled: without that,
    // the test would show nothing.
    void run_queued() {
        loop.restart();
        loop.poll();
        ASSERT_TRUE(bare_called_);
    }

    Loop loop;
    int calls = 0;

private:
    boost::asio::steady_timer bare_;
    bool bare_called_ = false;
};

TEST_F(TimerTest, CallsBackOnce) {
    Timer timer(loop);
    timer.start(1ms, [&] { ++calls; });
    loop.run();
    EXPECT_EQ(calls, 1);
}

TEST_F(TimerTest, CanBeStartedAgainByItsCallback) {
    Timer timer(loop);
    std::function<void()> again = [&] {
        if (++calls < 3) timer.start(0ms, again);
    };
    timer.start(0ms, again);
    loop.run();
    EXPECT_EQ(calls, 3);
}

TEST_F(TimerTest, DoesNotCallBackOnceItWasCancelledThoughItExpiredBefore) {
    Timer timer(loop);
    timer.start(0ms, [&] { ++calls; });
    queue_expired();
    timer.cancel();
    run_queued();
    EXPECT_EQ(calls, 0);
}

TEST_F(TimerTest, DoesNotCallBackOnceItIsGoneThoughItExpiredBefore) {
    std::optional<Timer> timer(std::in_place, loop);
    timer->start(0ms, [&] { ++calls; });
    queue_expired();
    timer.reset();
    run_queued();
    EXPECT_EQ(calls, 0);
}

TEST_F(TimerTest, DoesNotCallBackForWhatItWasStartedForBefore) {
    Timer timer(loop);
    timer.start(0ms, [&] { ++calls; });
    queue_expired();
    timer.start(1h, [] {});
    run_queued();
    EXPECT_EQ(calls, 0);
}

}  // namespace
