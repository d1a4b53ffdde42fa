#include "session/turn_queue.h"

#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

using session::Turn;
using session::TurnQueue;

// Takes a turn, writes its name down, and holds the turn until it is let go.
Task<> hold_turn(TurnQueue& queue, std::string name, std::vector<std::string>& order,
                 Completion<bool> let_go) {
    Turn turn = co_await queue.take();
    order.push_back(name);
    co_await let_go;
}

class TurnQueueTest : public testing::Test {
protected:
    Running ask(const std::string& name) {
        let_go.emplace(name, Completion<bool>(loop));
        return start(hold_turn(queue, name, order, let_go.at(name)));
    }
    void finish(const std::string& name) {
        let_go.at(name).set(true);
        run();
    }
    void run() {
        loop.restart();
        loop.poll();
    }

    Loop loop;
    TurnQueue queue{loop};
    std::vector<std::string> order;
    std::map<std::string, Completion<bool>> let_go;
};

using Names = std::vector<std::string>;

TEST_F(TurnQueueTest, GivesTheFirstTurnAtOnce) {
    Running first = ask("first");

    EXPECT_EQ(order, Names{"first"});
}

TEST_F(TurnQueueTest, LetsOthersWaitInTheOrderInWhichTheyCame) {
    Running first = ask("first"), second = ask("second"), third = ask("third");
    run();
    EXPECT_EQ(order, Names{"first"});

    finish("first");
    EXPECT_EQ(order, (Names{"first", "second"}));
    finish("second");
    EXPECT_EQ(order, (Names{"first", "second", "third"}));
    finish("third");
    EXPECT_FALSE(queue.is_taken());
}

TEST_F(TurnQueueTest, SkipsOneThatGaveUpWaiting) {
    Running first = ask("first"), second = ask("second"), third = ask("third");

    second.cancel();
    finish("first");

    EXPECT_EQ(order, (Names{"first", "third"}));
}

TEST_F(TurnQueueTest, PassesOnATurnThatWasCalledButNeverUsed) {
    Running first = ask("first"), second = ask("second"), third = ask("third");

    first.cancel();   // calls the second,
    second.cancel();  // which goes before it hears of it
    run();

    EXPECT_EQ(order, (Names{"first", "third"}));
}

TEST_F(TurnQueueTest, PassesOnTheTurnOfACancelledHolder) {
    Running first = ask("first"), second = ask("second");

    first.cancel();
    run();

    EXPECT_EQ(order, (Names{"first", "second"}));
}

TEST_F(TurnQueueTest, LetsNobodyOvertakeOneThatWasCalled) {
    Running first = ask("first"), second = ask("second");

    first.cancel();
    Running third = ask("third");
    run();

    EXPECT_EQ(order, (Names{"first", "second"}));
}

}  // namespace
