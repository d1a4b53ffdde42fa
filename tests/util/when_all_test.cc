#include "util/when_all.h"

#include <gtest/gtest.h>

namespace {

struct Flag {
    bool* set;
    ~Flag() { *set = true; }
};

Task<> wait_for(Completion<bool> completion, bool* ended) {
    Flag flag{ended};
    co_await completion;
}
Task<> fail() { co_await Error{.message = "broken"}; }

class WhenAll : public testing::Test {
protected:
    Running begin(std::vector<Task<>> tasks) {
        return start(when_all(loop, std::move(tasks)),
                     [this](Result<void> result) { outcome = std::move(result); });
    }
    std::vector<Task<>> two() {
        std::vector<Task<>> tasks;
        tasks.push_back(wait_for(first, &first_ended));
        tasks.push_back(wait_for(second, &second_ended));
        return tasks;
    }

    Loop loop;
    Completion<bool> first{loop}, second{loop};
    bool first_ended = false, second_ended = false;
    std::optional<Result<void>> outcome;
};

TEST_F(WhenAll, EndsWithTheLast) {
    Running running = begin(two());
    second.set(true);
    loop.run();
    EXPECT_TRUE(second_ended);
    EXPECT_FALSE(outcome);

    first.set(true);
    loop.restart();
    loop.run();
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->has_value());
}

TEST_F(WhenAll, OfNothingEndsAtOnce) {
    Running running = begin({});
    EXPECT_TRUE(outcome && outcome->has_value());
}

TEST_F(WhenAll, TellsAnErrorOnceAllHaveEnded) {
    std::vector<Task<>> tasks = two();
    tasks.push_back(fail());
    Running running = begin(std::move(tasks));
    loop.run();
    EXPECT_FALSE(outcome);

    first.set(true);
    second.set(true);
    loop.restart();
    loop.run();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->error().message, "broken");
}

TEST_F(WhenAll, IsDroppedWithItsTasks) {
    Running running = begin(two());
    running.cancel();
    EXPECT_TRUE(first_ended && second_ended);
    EXPECT_FALSE(outcome);
}

}  // namespace
