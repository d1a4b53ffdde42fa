#include "util/worker.h"

#include <atomic>

#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

TEST(Worker, WorksBesideTheLoopAndComesBackToIt) {
    Loop loop;
    auto here = std::this_thread::get_id();
    auto there = fakes::run_task(
        loop, on_worker<bool>(loop, [here]() -> Result<bool> { return std::this_thread::get_id() != here; }));
    EXPECT_TRUE(there.value());
}

TEST(Worker, PassesErrorsOnAndEndsExceptions) {
    Loop loop;
    auto failed = fakes::run_task(loop, on_worker<int>(loop, []() -> Result<int> {
                                      return Error{.code = ErrorCode::NotFound, .message = "none"};
                                  }));
    EXPECT_EQ(failed.error().code, ErrorCode::NotFound);
    auto thrown =
        fakes::run_task(loop, on_worker<int>(loop, []() -> Result<int> { throw std::bad_alloc(); }));
    EXPECT_EQ(thrown.error().code, ErrorCode::InternalError);
}

TEST(Worker, IsNotWaitedForWhenNobodyWantsItAnyMore) {
    auto loop = std::make_unique<Loop>();
    // Shared: the thread may end after the test.
    auto until = std::make_shared<std::atomic<bool>>(false),
         ended = std::make_shared<std::atomic<bool>>(false);
    {
        Running running = start(on_worker<int>(*loop, [until, ended]() -> Result<int> {
            until->wait(false);
            *ended = true;
            ended->notify_all();
            return 1;
        }));
    }
    loop.reset();
    *until = true;
    until->notify_all();
    ended->wait(false);
    EXPECT_TRUE(*ended);
}

}  // namespace
