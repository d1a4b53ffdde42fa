#include "browsers/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

using namespace std::chrono_literals;
using browsers::Admission;
using browsers::Slot;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Task<bool> answer(bool made) { co_return made; }

// Calls that wait for slots, and the order in which they got them.
class AdmissionTest : public testing::Test {
protected:
    struct Entered {
        std::string owner;
        Slot slot;
    };

    void make(browsers::AdmissionOptions options, Admission::Measure measure = {}) {
        admission.emplace(loop, options, std::move(measure));
    }
    void enter(const std::string& owner, Deadline deadline = Deadline::in(20s)) {
        calls.push_back(start(admission->enter(owner, deadline), [this, owner](Result<Slot> slot) {
            if (slot)
                entered.push_back(std::make_unique<Entered>(Entered{owner, std::move(*slot)}));
            else
                errors.push_back(slot.error());
        }));
    }
    void leave(std::size_t index) { entered.erase(entered.begin() + static_cast<std::ptrdiff_t>(index)); }
    void wait_for(std::size_t count) {
        fakes::run_until(loop, [&] { return entered.size() == count; });
    }
    std::vector<std::string> owners() const {
        std::vector<std::string> names;
        for (const auto& each : entered) names.push_back(each->owner);
        return names;
    }

    Loop loop;
    std::optional<Admission> admission;
    std::vector<std::unique_ptr<Entered>> entered;
    std::vector<Error> errors;
    std::vector<Running> calls;
};

TEST_F(AdmissionTest, GivesSlotsAtOnceWhileThereAreAny) {
    make({.max_contexts = 2});
    enter("ann");
    enter("ann");
    EXPECT_EQ(entered.size(), 2u);
    EXPECT_EQ(admission->occupancy().live, 2u);
    EXPECT_FALSE(admission->has_room());
}

TEST_F(AdmissionTest, LetsTheNextInWhenOneLeaves) {
    make({.max_contexts = 1});
    enter("ann");
    enter("bob");
    EXPECT_EQ(admission->occupancy().waiting, 1u);

    leave(0);
    wait_for(1);

    EXPECT_THAT(owners(), ElementsAre("bob"));
    EXPECT_EQ(admission->occupancy().waiting, 0u);
}

TEST_F(AdmissionTest, SaysHowFullItIsWhenTheTimeIsUp) {
    make({.max_contexts = 1, .memory = 4096ull << 20}, [] { return 512ull << 20; });
    enter("ann");
    enter("bob", Deadline::in(5ms));
    fakes::run_until(loop, [&] { return !errors.empty(); });

    EXPECT_EQ(errors[0].code, ErrorCode::ResourceExhausted);
    EXPECT_TRUE(errors[0].retryable());
    EXPECT_THAT(errors[0].message,
                AllOf(HasSubstr("1 of 1 browser contexts"), HasSubstr("0 more calls wait")));
    EXPECT_THAT(errors[0].hint, HasSubstr("session.maxSessions"));
    EXPECT_EQ(admission->occupancy().waiting, 0u);
}

TEST_F(AdmissionTest, PrefersTheOwnerWithTheFewestSlots) {
    make({.max_contexts = 3});
    for (int i = 0; i < 3; ++i) enter("ann");
    enter("ann");
    enter("bob");
    enter("ann");
    enter("bob");

    leave(0);
    wait_for(3);
    EXPECT_THAT(owners(), ElementsAre("ann", "ann", "bob"));
    leave(0);
    wait_for(3);
    // One each: whoever came first.
    EXPECT_THAT(owners(), ElementsAre("ann", "bob", "ann"));
}

TEST_F(AdmissionTest, PassesASlotOnThatNobodyWaitsForAnyMore) {
    make({.max_contexts = 1});
    enter("ann");
    enter("bob");
    enter("eve");
    leave(0);
    // It was bob's turn, and bob has gone.
    calls[1].cancel();
    wait_for(1);
    EXPECT_THAT(owners(), ElementsAre("eve"));
}

TEST_F(AdmissionTest, AsksForRoomBeforeItMakesAnybodyWait) {
    make({.max_contexts = 2, .ask_again = 1ms});
    enter("ann");
    enter("bob");
    int asked = 0;
    admission->set_make_room([&]() -> Task<bool> {
        // At first nobody is idle.
        if (++asked == 3) leave(0);
        return answer(asked == 3);
    });

    enter("eve");
    fakes::run_until(loop, [&] { return owners() == std::vector<std::string>{"bob", "eve"}; });

    EXPECT_EQ(asked, 3);
}

TEST_F(AdmissionTest, WaitsUntilBrowsersUseLessMemory) {
    std::uint64_t used = 400ull << 20;
    make({.memory = 300ull << 20, .ask_again = 1ms}, [&] { return used; });
    // One can always work.
    enter("ann");
    ASSERT_EQ(entered.size(), 1u);
    enter("bob", Deadline::in(20ms));
    fakes::run_until(loop, [&] { return !errors.empty(); });
    EXPECT_THAT(errors[0].message, HasSubstr("browsers use 400 MiB of 300 MiB"));

    used = 100ull << 20;
    enter("eve");
    wait_for(2);
    EXPECT_THAT(owners(), ElementsAre("ann", "eve"));
}

TEST_F(AdmissionTest, OpensOnlySoManyAtOnce) {
    make({.at_once = 1, .at_once_alone = 1});
    for (const char* owner : {"ann", "ann", "ann", "bob"}) enter(owner);
    std::vector<std::string> opening;
    std::vector<Running> waits;
    for (const auto& each : entered)
        waits.push_back(start(each->slot.wait_to_open(Deadline::in(20s)),
                              [&, owner = each->owner](Result<void>) { opening.push_back(owner); }));
    EXPECT_THAT(opening, ElementsAre("ann"));
    EXPECT_FALSE(admission->is_calm());

    // A neighbour does not wait for all that one owner wants.
    entered[0]->slot.opened();
    fakes::run_until(loop, [&] { return opening.size() == 2; });
    EXPECT_THAT(opening, ElementsAre("ann", "bob"));
    // One that goes away lets the next one open as well.
    leave(3);
    fakes::run_until(loop, [&] { return opening.size() == 3; });
    entered[1]->slot.opened();
    fakes::run_until(loop, [&] { return opening.size() == 4; });
    entered[2]->slot.opened();
    EXPECT_TRUE(admission->is_calm());
}

TEST_F(AdmissionTest, OpensMoreAtOnceWhereNobodyWasBefore) {
    make({.at_once = 1, .at_once_alone = 3, .rush = 0ms});
    std::size_t opening = 0;
    std::vector<Running> waits;
    auto open_all = [&](std::size_t from) {
        for (std::size_t i = from; i < entered.size(); ++i)
            waits.push_back(
                start(entered[i]->slot.wait_to_open(Deadline::in(20s)), [&](Result<void>) { ++opening; }));
    };
    for (int i = 0; i < 5; ++i) enter("ann");
    open_all(0);
    EXPECT_EQ(opening, 3u);
    waits.clear();
    while (entered.size() > 1) leave(1);
    entered[0]->slot.opened();
    ASSERT_TRUE(admission->is_calm());

    // Now there is somebody to disturb.
    opening = 0;
    for (int i = 0; i < 4; ++i) enter("bob");
    open_all(1);
    EXPECT_EQ(opening, 1u);
}

TEST_F(AdmissionTest, LetsAFirstCallFinishWhereSomebodyWasBefore) {
    make({.at_once = 1, .at_once_alone = 1, .rush = 0ms});
    enter("ann");
    calls.push_back(start(entered[0]->slot.wait_to_open(Deadline::in(20s))));
    EXPECT_FALSE(entered[0]->slot.is_opened_by_first_call());
    ASSERT_TRUE(admission->is_calm());

    enter("bob");
    calls.push_back(start(entered[1]->slot.wait_to_open(Deadline::in(20s))));
    EXPECT_TRUE(entered[1]->slot.is_opened_by_first_call());
    EXPECT_FALSE(admission->is_calm());
    entered[1]->slot.opened();
    EXPECT_TRUE(admission->is_calm());
}

TEST_F(AdmissionTest, RestsBetweenNewcomersWhereSomebodyWasBefore) {
    make({.at_once = 1, .at_once_alone = 1, .rush = 0ms, .pause_factor = 1e6, .max_total_pause = 60ms});
    enter("ann");
    std::size_t opening = 0;
    auto open = [&](std::size_t index) {
        calls.push_back(
            start(entered[index]->slot.wait_to_open(Deadline::in(20s)), [&](Result<void>) { ++opening; }));
    };
    open(0);
    entered[0]->slot.opened();
    for (int i = 0; i < 3; ++i) enter("bob");
    for (std::size_t i = 1; i <= 3; ++i) open(i);
    ASSERT_EQ(opening, 2u);

    auto begun = std::chrono::steady_clock::now();
    entered[1]->slot.opened();
    EXPECT_EQ(opening, 2u) << "the next one opens at once";
    fakes::run_until(loop, [&] { return opening == 3; });
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 30ms);
    entered[2]->slot.opened();
    fakes::run_until(loop, [&] { return opening == 4; });
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 60ms);
    // What may be rested in one rush is used up, and there is nobody to rest for.
    entered[3]->slot.opened();
    EXPECT_TRUE(admission->is_calm());
}

TEST_F(AdmissionTest, DoesNotRestForLongBecauseAnOpeningTookLong) {
    make({.at_once = 1,
          .at_once_alone = 1,
          .rush = 0ms,
          .pause_factor = 1e6,
          .max_pause = 20ms,
          .max_total_pause = 10min});
    enter("ann");
    for (int i = 0; i < 2; ++i) enter("bob");
    bool opens = false;
    calls.push_back(start(entered[1]->slot.wait_to_open(Deadline::in(20s))));
    calls.push_back(
        start(entered[2]->slot.wait_to_open(Deadline::in(20s)), [&](Result<void>) { opens = true; }));
    auto begun = std::chrono::steady_clock::now();
    entered[1]->slot.opened();
    fakes::run_until(loop, [&] { return opens; });
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 20ms);
}

TEST_F(AdmissionTest, SeesWhoComesTogetherEvenIfSomeFindTheirContextsReady) {
    make({.at_once = 1, .at_once_alone = 3, .rush = 10s});
    for (int i = 0; i < 5; ++i) enter("ann");
    std::size_t opening = 0;
    for (std::size_t i = 2; i < 5; ++i)
        calls.push_back(
            start(entered[i]->slot.wait_to_open(Deadline::in(20s)), [&](Result<void>) { ++opening; }));
    EXPECT_EQ(opening, 3u);
}

}  // namespace
