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

// A thing to do that ends when it is told to. Shared: its thread may end after the test.
struct Chore {
    std::atomic<bool> begun = false, may_end = false;

    static std::function<Result<int>()> work(const std::shared_ptr<Chore>& chore) {
        return [chore]() -> Result<int> {
            chore->begun = true;
            chore->may_end.wait(false);
            return 1;
        };
    }
    void end() {
        may_end = true;
        may_end.notify_all();
    }
};

TEST(Workers, LetLaterWorkWait) {
    Loop loop;
    auto workers = std::make_shared<Workers>(1);
    auto first = std::make_shared<Chore>(), second = std::make_shared<Chore>();
    int done = 0;
    auto count = [&](Result<int>) { ++done; };
    Running one = start(Workers::run<int>(workers, loop, Chore::work(first)), count);
    Running two = start(Workers::run<int>(workers, loop, Chore::work(second)), count);

    fakes::run_until(loop, [&] { return first->begun.load(); });
    EXPECT_FALSE(second->begun);
    first->end();
    fakes::run_until(loop, [&] { return second->begun.load(); });
    second->end();
    fakes::run_until(loop, [&] { return done == 2; });
}

TEST(Workers, CountWorkThatNobodyWaitsForUntilItHasEnded) {
    Loop loop;
    auto workers = std::make_shared<Workers>(1);
    auto first = std::make_shared<Chore>(), second = std::make_shared<Chore>(),
         third = std::make_shared<Chore>();
    Running one = start(Workers::run<int>(workers, loop, Chore::work(first)));
    Running two = start(Workers::run<int>(workers, loop, Chore::work(second)));
    bool done = false;
    Running three =
        start(Workers::run<int>(workers, loop, Chore::work(third)), [&](Result<int>) { done = true; });
    fakes::run_until(loop, [&] { return first->begun.load(); });

    one.cancel();
    two.cancel();
    EXPECT_FALSE(third->begun);
    first->end();
    third->end();
    fakes::run_until(loop, [&] { return done; });

    EXPECT_FALSE(second->begun) << "it left the line";
}

}  // namespace
