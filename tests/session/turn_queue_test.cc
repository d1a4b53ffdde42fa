#include "session/turn_queue.h"

#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

using session::Turn;
using session::TurnQueue;

// Takes a turn, in the tab if there is one, writes its name down, and holds the turn until it is let go.
Task<> hold_turn(TurnQueue& queue, std::string name, std::string tab, std::vector<std::string>& order,
                 Completion<bool> let_go) {
    Turn turn = co_await (tab.empty() ? queue.take() : queue.take(tab));
    order.push_back(name);
    co_await let_go;
}

class TurnQueueTest : public testing::Test {
protected:
    Running ask(const std::string& name, const std::string& tab = "") {
        let_go.emplace(name, Completion<bool>(loop));
        return start(hold_turn(queue, name, tab, order, let_go.at(name)));
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

TEST_F(TurnQueueTest, GivesTurnsInDifferentTabsAtOnce) {
    Running first = ask("first", "A"), second = ask("second", "B"), third = ask("third", "A");
    run();
    EXPECT_EQ(order, (Names{"first", "second"}));
    EXPECT_TRUE(queue.is_taken("A"));
    EXPECT_FALSE(queue.is_taken("C"));

    finish("second");
    EXPECT_EQ(order, (Names{"first", "second"}));
    finish("first");
    EXPECT_EQ(order, (Names{"first", "second", "third"}));
    finish("third");
    EXPECT_FALSE(queue.is_taken());
}

TEST_F(TurnQueueTest, LetsATurnInTheWholeSessionWaitForAllBeforeAndHoldBackAllAfter) {
    Running first = ask("first", "A"), second = ask("second", "B"), all = ask("all"),
            third = ask("third", "A"), fourth = ask("fourth", "C");
    run();
    EXPECT_EQ(order, (Names{"first", "second"}));

    finish("first");
    EXPECT_EQ(order, (Names{"first", "second"}));
    finish("second");
    EXPECT_EQ(order, (Names{"first", "second", "all"}));
    finish("all");
    EXPECT_EQ(order, (Names{"first", "second", "all", "third", "fourth"}));
}

TEST_F(TurnQueueTest, StarvesNobodyWithAStreamOfTurnsInTabs) {
    Running before = ask("before", "A");
    Running all = ask("all");
    std::vector<Running> later;
    for (int i = 0; i < 100; ++i) later.push_back(ask("later " + std::to_string(i), i % 2 ? "A" : "B"));

    finish("before");

    EXPECT_EQ(order, (Names{"before", "all"}));
}

TEST_F(TurnQueueTest, GoesOnWithoutAWaitingTurnInTheWholeSessionThatGaveUp) {
    Running first = ask("first", "A"), all = ask("all"), second = ask("second", "B"),
            third = ask("third", "A");
    run();
    EXPECT_EQ(order, Names{"first"});

    all.cancel();
    run();

    EXPECT_EQ(order, (Names{"first", "second"}));
    finish("first");
    EXPECT_EQ(order, (Names{"first", "second", "third"}));
}

TEST_F(TurnQueueTest, LetsNobodyOvertakeOneThatWasCalled) {
    Running first = ask("first"), second = ask("second");

    first.cancel();
    Running third = ask("third");
    run();

    EXPECT_EQ(order, (Names{"first", "second"}));
}

}  // namespace
