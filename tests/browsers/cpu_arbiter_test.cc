#include "browsers/cpu_arbiter.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Processes that want a processor for as much of the time as the test says; each look is a moment later.
class FakeProcesses final : public browsers::PageProcesses {
public:
    bool has_browser() override { return browser; }
    std::vector<pid_t> pages() override {
        ++looks;
        now_ += kMoment;
        std::vector<pid_t> all;
        for (const auto& [process, share] : shares) {
            wanted_[process] += std::chrono::duration_cast<std::chrono::nanoseconds>(kMoment * share);
            if (process != hidden) all.push_back(process);
        }
        return all;
    }
    std::vector<pid_t> started() override {
        std::vector<pid_t> all(others.begin(), others.end());
        for (const auto& [process, share] : shares) {
            if (process != hidden) all.push_back(process);
        }
        return all;
    }
    std::optional<Demand> demand(pid_t process) override {
        if (!shares.contains(process)) return std::nullopt;
        return Demand{wanted_[process], now_};
    }
    void set_cpu_priority(pid_t process, CpuPriority priority) override { priorities[process] = priority; }
    void set_initial_priority(CpuPriority priority) override { initial_priority = priority; }

    bool browser = true;
    std::map<pid_t, double> shares;
    std::vector<pid_t> others;                // that are no pages
    pid_t hidden = 0;                         // one that is not listed
    std::map<pid_t, CpuPriority> priorities;  // as last set
    CpuPriority initial_priority = CpuPriority::Normal;
    int looks = 0;

private:
    static constexpr std::chrono::milliseconds kMoment{50};

    Deadline::Clock::time_point now_ = {};
    std::map<pid_t, std::chrono::nanoseconds> wanted_;
};

class CpuArbiterTest : public testing::Test {
protected:
    void make(std::size_t spare_processors = 1) {
        auto made = std::make_unique<FakeProcesses>();
        processes = made.get();
        cpu_arbiter.emplace(loop, std::move(made),
                            browsers::CpuArbiterOptions{.spare_processors = spare_processors,
                                                        .look = 1ms,
                                                        .quiet_look = 1ms,
                                                        .lone_look = 1ms,
                                                        .max_opening = max_opening},
                            log);
    }
    void wait_for_priority(pid_t process, CpuPriority priority) {
        fakes::run_until(loop, [&] {
            auto it = processes->priorities.find(process);
            return it != processes->priorities.end() && it->second == priority;
        });
    }
    void look_again(int times) {
        fakes::run_until(loop, [&, before = processes->looks] { return processes->looks >= before + times; });
    }

    Loop loop;
    Log log = Log::silent();
    std::chrono::milliseconds max_opening = 60s;
    FakeProcesses* processes = nullptr;
    std::optional<browsers::CpuArbiter> cpu_arbiter;
};

TEST_F(CpuArbiterTest, KeepsAPageThatComputesFromOneProcessorUntilItStops) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.3}};
    cpu_arbiter->watch();
    wait_for_priority(1, CpuPriority::OffFirstCpu);
    processes->shares[1] = 0.1;
    wait_for_priority(1, CpuPriority::Normal);
    EXPECT_EQ(processes->priorities.at(2), CpuPriority::Normal);
}

TEST_F(CpuArbiterTest, LetsAPageComputeWhileNobodyElseWorks) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.0}};
    cpu_arbiter->watch();
    look_again(5);
    EXPECT_EQ(processes->priorities.at(1), CpuPriority::Normal);
    processes->shares[2] = 0.3;
    wait_for_priority(1, CpuPriority::OffFirstCpu);
}

TEST_F(CpuArbiterTest, KeepsNoMorePagesThanThereAreProcessorsForThem) {
    make(2);
    processes->shares = {{1, 1.0}, {2, 1.0}, {3, 1.0}};
    cpu_arbiter->watch();
    wait_for_priority(2, CpuPriority::OffFirstCpu);
    look_again(5);
    EXPECT_EQ(processes->priorities.at(3), CpuPriority::Normal);
    // A place that becomes free is taken.
    processes->shares.erase(1);
    wait_for_priority(3, CpuPriority::OffFirstCpu);
}

TEST_F(CpuArbiterTest, LooksWhileThereIsABrowser) {
    make();
    cpu_arbiter->watch();
    look_again(3);
    processes->shares = {{1, 0.3}, {2, 1.0}};
    wait_for_priority(2, CpuPriority::OffFirstCpu);
    processes->browser = false;
    fakes::run_until(loop, [&] { return loop.run_for(20ms) == 0; });
    int looks = processes->looks;

    processes->shares = {{1, 0.3}, {4, 1.0}};
    cpu_arbiter->watch();
    EXPECT_EQ(processes->looks, looks) << "there is none";
    processes->browser = true;
    cpu_arbiter->watch();
    wait_for_priority(4, CpuPriority::OffFirstCpu);
}

TEST_F(CpuArbiterTest, ForgetsNoPageThatIsNotListedOnce) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.3}, {3, 0.3}};
    cpu_arbiter->watch();
    wait_for_priority(1, CpuPriority::OffFirstCpu);
    processes->hidden = 1;
    look_again(2);
    processes->hidden = 0;
    processes->shares[1] = 0.1;
    wait_for_priority(1, CpuPriority::Normal);
}

TEST_F(CpuArbiterTest, FindsAPageThatWasNotListedWhenItWasOpened) {
    make();
    processes->shares = {{1, 0.1}};
    auto opening = cpu_arbiter->for_opening();
    processes->shares[2] = 0.1;
    processes->hidden = 2;
    opening.reset();
    EXPECT_FALSE(processes->priorities.contains(2));
    cpu_arbiter->watch();
    processes->hidden = 0;
    wait_for_priority(2, CpuPriority::Normal);
}

TEST_F(CpuArbiterTest, DoesNotTakeAPageThatIsOpenedForOneThatComputes) {
    make();
    processes->shares = {{1, 0.3}};
    auto opening = cpu_arbiter->for_opening();
    processes->shares[2] = 1.0;
    cpu_arbiter->watch();
    look_again(5);
    EXPECT_FALSE(processes->priorities.contains(2));
    opening.reset();
    wait_for_priority(2, CpuPriority::OffFirstCpu);
}

TEST_F(CpuArbiterTest, LetsTheLastPageComputeAsItLikes) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.3}};
    cpu_arbiter->watch();
    wait_for_priority(1, CpuPriority::OffFirstCpu);
    processes->shares.erase(2);
    wait_for_priority(1, CpuPriority::Normal);
}

TEST_F(CpuArbiterTest, HasNewPagesMakeWayWhileTheyAreOpened) {
    make();
    processes->shares = {{1, 0.1}};
    auto opening = cpu_arbiter->for_opening();
    EXPECT_EQ(processes->initial_priority, CpuPriority::Idle);
    processes->shares[2] = 0.1;
    processes->others = {7};
    opening.reset();
    EXPECT_EQ(processes->initial_priority, CpuPriority::Normal);
    EXPECT_THAT(processes->priorities,
                ElementsAre(Pair(2, CpuPriority::Normal), Pair(7, CpuPriority::Normal)))
        << "those there before are as they were";
}

TEST_F(CpuArbiterTest, WaitsForTheLastOfThoseThatAreOpened) {
    make();
    auto one = cpu_arbiter->for_opening(), other = cpu_arbiter->for_opening();
    processes->shares[1] = 0.1;
    one.reset();
    EXPECT_EQ(processes->initial_priority, CpuPriority::Idle);
    EXPECT_EQ(processes->priorities.at(1), CpuPriority::Normal);
    processes->shares[2] = 0.1;
    other.reset();
    EXPECT_EQ(processes->initial_priority, CpuPriority::Normal);
    EXPECT_EQ(processes->priorities.at(2), CpuPriority::Normal);
}

TEST_F(CpuArbiterTest, LetsAPageThatIsOpenedForLongGoOn) {
    max_opening = 10ms;
    make();
    auto opening = cpu_arbiter->for_opening();
    processes->shares[1] = 0.1;
    wait_for_priority(1, CpuPriority::Normal);
    EXPECT_EQ(processes->initial_priority, CpuPriority::Normal);
}

TEST_F(CpuArbiterTest, DoesNothingWithoutAProcessorToSpare) {
    make(0);
    processes->shares = {{1, 1.0}, {2, 0.3}};
    auto opening = cpu_arbiter->for_opening();
    EXPECT_EQ(opening.use_count(), 0);
    EXPECT_EQ(processes->initial_priority, CpuPriority::Normal);
    cpu_arbiter->watch();
    EXPECT_EQ(loop.run_for(20ms), 0u);
    EXPECT_THAT(processes->priorities, IsEmpty());
}

TEST_F(CpuArbiterTest, EndsBeforeThoseThatAreOpened) {
    make();
    processes->shares = {{1, 0.3}, {2, 0.3}};
    cpu_arbiter->watch();
    look_again(2);
    auto opening = cpu_arbiter->for_opening();
    cpu_arbiter.reset();
    opening.reset();
    loop.run_for(20ms);  // what was cancelled says so
    loop.restart();
    EXPECT_EQ(loop.run_for(20ms), 0u) << "nobody looks any more";
}

}  // namespace
