#include "util/task.h"

#include <gtest/gtest.h>

#include "util/async.h"

namespace {

using namespace std::chrono_literals;

Task<int> give(int value) { co_return value; }
Task<int> fail(std::string message) { co_return Error{.message = std::move(message)}; }
Task<> fail_without_value() { co_await Error{.code = ErrorCode::Timeout, .message = "late"}; }
Task<int> add(int a, int b) { co_return co_await give(a) + co_await give(b); }
Task<int> add_to_failure() { co_return co_await give(1) + co_await fail("broken"); }
Task<int> throw_something() {
    throw std::runtime_error("inside");
    co_return 1;
}
Task<int> recover() {
    auto result = co_await as_result(fail("broken"));
    co_return result.has_value() ? 0 : 7;
}

struct Flag {
    bool* set;
    ~Flag() { *set = true; }
};

Task<int> wait_for(Completion<int> completion, bool* cleaned_up) {
    Flag flag{cleaned_up};
    co_return co_await completion;
}
Task<int> outer(Completion<int> completion, bool* inner_cleaned, bool* outer_cleaned) {
    Flag flag{outer_cleaned};
    co_return co_await wait_for(completion, inner_cleaned) + 1;
}

template <class T>
std::optional<Result<T>> run(Loop& loop, Task<T> task) {
    std::optional<Result<T>> outcome;
    Running running = start(std::move(task), [&](Result<T> result) { outcome.emplace(std::move(result)); });
    loop.run();
    return outcome;
}

}  // namespace

TEST(Task, GivesTheValueOfWhatItAwaits) {
    Loop loop;
    EXPECT_EQ(run(loop, add(2, 3))->value(), 5);
}

TEST(Task, EndsWithTheErrorOfWhatItAwaits) {
    Loop loop;
    EXPECT_EQ(run(loop, add_to_failure())->error().message, "broken");
    loop.restart();
    EXPECT_EQ(run(loop, fail_without_value())->error().code, ErrorCode::Timeout);
}

TEST(Task, TurnsAForeignExceptionIntoAnInternalError) {
    Loop loop;
    auto outcome = run(loop, throw_something());
    EXPECT_EQ(outcome->error().code, ErrorCode::InternalError);
    EXPECT_EQ(outcome->error().details, "inside");
}

TEST(Task, GivesTheResultToACallerThatWantsToActOnFailure) {
    Loop loop;
    EXPECT_EQ(run(loop, recover())->value(), 7);
}

TEST(Task, DroppedWhileWaitingCleansUpEveryFrameAndReportsNothing) {
    Loop loop;
    Completion<int> completion(loop);
    bool inner = false, outer_done = false, reported = false;
    {
        Running running =
            start(outer(completion, &inner, &outer_done), [&](Result<int>) { reported = true; });
        EXPECT_FALSE(inner);
    }
    EXPECT_TRUE(inner);
    EXPECT_TRUE(outer_done);

    completion.set(1);
    loop.run();
    EXPECT_FALSE(reported);
}

TEST(Task, DroppedAfterItsWakeUpWasQueuedDoesNotContinue) {
    Loop loop;
    Completion<int> completion(loop);
    bool inner = false, outer_done = false, reported = false;
    Running running = start(outer(completion, &inner, &outer_done), [&](Result<int>) { reported = true; });
    completion.set(1);
    running.cancel();
    loop.run();
    EXPECT_TRUE(outer_done);
    EXPECT_FALSE(reported);
}

namespace {
Task<int> drop_myself(Loop& loop, Running* self, bool* cleaned_up) {
    Flag flag{cleaned_up};
    co_await sleep_for(loop, 1ms);
    self->cancel();
    co_await sleep_for(loop, 1h);
    co_return 1;
}
}  // namespace

TEST(Task, MayDropItselfAndEndsAtItsNextWait) {
    Loop loop;
    Running self;
    bool cleaned_up = false;
    self = start(drop_myself(loop, &self, &cleaned_up));
    loop.run();
    EXPECT_TRUE(cleaned_up);
}

TEST(Task, DroppingCancelsTheTimerItWaitsFor) {
    Loop loop;
    {
        Running running = start(sleep_for(loop, 1h));
    }
    loop.run();  // ends at once: nothing is left to wait for
}

TEST(WithDeadline, NamesWhatTookTooLongAndDropsIt) {
    Loop loop;
    Completion<int> never(loop);
    bool cleaned_up = false;
    auto outcome = run(loop, with_deadline(loop, wait_for(never, &cleaned_up), Deadline::in(5ms), "Waiting"));
    EXPECT_EQ(outcome->error().code, ErrorCode::Timeout);
    EXPECT_EQ(outcome->error().message, "Waiting took too long.");
    EXPECT_TRUE(cleaned_up);
}

TEST(WithDeadline, GivesAValueThatComesInTime) {
    Loop loop;
    EXPECT_EQ(run(loop, with_deadline(loop, add(1, 1), Deadline::in(10s), "Adding"))->value(), 2);
}
