#include "util/task_set.h"

#include <memory>

#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

class TaskSetTest : public testing::Test {
protected:
    static Task<int> wait_for(Completion<int> completion) { co_return co_await completion; }
    static Task<> fail() { co_await Error{.message = "no"}; }
    static Task<> finish_later(Completion<int> completion) { (void)co_await completion; }
    static Task<> hold(std::shared_ptr<int> held, Completion<int> completion) {
        (void)co_await completion;
        *held = 0;
    }

    Loop loop;
    Completion<int> first{loop}, second{loop};
    TaskSet tasks;
};

TEST_F(TaskSetTest, KeepsATaskUntilItEndsAndGivesItsResult) {
    int got = 0;
    tasks.add(wait_for(first), [&](Result<int> result) { got = *result; });
    EXPECT_FALSE(tasks.empty());
    first.set(7);
    fakes::run_until(loop, [&] { return got == 7; });
    EXPECT_TRUE(tasks.empty());
}

TEST_F(TaskSetTest, KeepsNothingOfATaskThatEndsAtOnce) {
    bool failed = false;
    tasks.add(fail(), [&](Result<void> result) { failed = !result; });
    EXPECT_TRUE(failed);
    EXPECT_TRUE(tasks.empty());
}

TEST_F(TaskSetTest, DropsOneTaskOrAllWithoutTheirResults) {
    auto held = std::make_shared<int>(1);
    bool ended = false;
    auto number = tasks.add(hold(held, first), [&](Result<void>) { ended = true; });
    tasks.add(hold(held, second), [&](Result<void>) { ended = true; });
    EXPECT_EQ(held.use_count(), 3);
    tasks.drop(number);
    EXPECT_EQ(held.use_count(), 2);
    tasks.clear();
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_FALSE(ended);
}

TEST_F(TaskSetTest, MayEndWithItsOwnerInTheLastStepOfATask) {
    auto owner = std::make_unique<TaskSet>();
    owner->add(wait_for(first), [&](Result<int>) { owner.reset(); });
    first.set(1);
    fakes::run_until(loop, [&] { return !owner; });
}

TEST_F(TaskSetTest, JoinsTasksThatAreAddedMeanwhile) {
    bool joined = false;
    tasks.add(wait_for(first), [&](Result<int>) { tasks.add(finish_later(second)); });
    Running joining = start(tasks.join(loop), [&](Result<void>) { joined = true; });
    first.set(1);
    loop.poll();
    EXPECT_FALSE(joined);
    second.set(1);
    fakes::run_until(loop, [&] { return joined; });
    EXPECT_TRUE(tasks.empty());
}

}  // namespace
