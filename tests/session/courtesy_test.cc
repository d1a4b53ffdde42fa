#include "session/courtesy.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Processes that want a processor for as much of the time as the test says.
class FakeProcesses final : public session::PageProcesses {
public:
    using Clock = Deadline::Clock;

    std::vector<pid_t> running() override {
        ++looks;
        std::vector<pid_t> all;
        for (const auto& [process, share] : shares) all.push_back(process);
        return all;
    }
    std::optional<std::chrono::nanoseconds> processor_demand(pid_t process) override {
        auto now = Clock::now();
        auto& [at, used] = used_.try_emplace(process, now, 0ns).first->second;
        used += std::chrono::duration_cast<std::chrono::nanoseconds>((now - std::exchange(at, now)) *
                                                                     shares.at(process));
        return used;
    }
    void set_claim(pid_t process, Claim claim) override { claims[process] = claim; }
    void set_first_claim(Claim claim) override { first_claim = claim; }

    std::map<pid_t, double> shares;
    std::map<pid_t, Claim> claims;  // as last set
    Claim first_claim = Claim::Full;
    int looks = 0;

private:
    std::map<pid_t, std::pair<Clock::time_point, std::chrono::nanoseconds>> used_;
};

class CourtesyTest : public testing::Test {
protected:
    void make(std::size_t spare_processors = 1) {
        auto made = std::make_unique<FakeProcesses>();
        processes = made.get();
        courtesy.emplace(loop, std::move(made),
                         session::CourtesyOptions{.spare_processors = spare_processors,
                                                  .look = 20ms,
                                                  .quiet_look = 20ms,
                                                  .longest_opening = longest_opening},
                         log);
    }
    void wait_for_claim(pid_t process, Claim claim) {
        fakes::run_until(loop, [&] {
            auto it = processes->claims.find(process);
            return it != processes->claims.end() && it->second == claim;
        });
    }
    void look_again(int times) {
        fakes::run_until(loop, [&, before = processes->looks] { return processes->looks >= before + times; });
    }

    Loop loop;
    Log log = Log::silent();
    std::chrono::milliseconds longest_opening = 60s;
    FakeProcesses* processes = nullptr;
    std::optional<session::Courtesy> courtesy;
};

TEST_F(CourtesyTest, KeepsAPageThatComputesFromOneProcessorUntilItStops) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.3}};
    courtesy->watch();
    wait_for_claim(1, Claim::Spare);
    processes->shares[1] = 0.1;
    wait_for_claim(1, Claim::Full);
    EXPECT_THAT(processes->claims, ElementsAre(Pair(1, Claim::Full))) << "nobody else was told anything";
}

TEST_F(CourtesyTest, LetsAPageComputeWhileNobodyElseWorks) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.0}};
    courtesy->watch();
    look_again(5);
    EXPECT_THAT(processes->claims, IsEmpty());
    processes->shares[2] = 0.3;
    wait_for_claim(1, Claim::Spare);
}

TEST_F(CourtesyTest, KeepsNoMorePagesThanThereAreProcessorsForThem) {
    make(2);
    processes->shares = {{1, 1.0}, {2, 1.0}, {3, 1.0}};
    courtesy->watch();
    wait_for_claim(2, Claim::Spare);
    look_again(5);
    EXPECT_FALSE(processes->claims.contains(3));
    // A place that becomes free is taken.
    processes->shares.erase(1);
    wait_for_claim(3, Claim::Spare);
}

TEST_F(CourtesyTest, StopsLookingWhenOnePageIsLeftAndBeginsAgain) {
    make();
    processes->shares = {{1, 0.3}, {2, 0.3}};
    courtesy->watch();
    look_again(3);
    processes->shares.erase(2);
    look_again(1);
    int looks = processes->looks;
    EXPECT_EQ(loop.run_for(200ms), 0u) << "nothing is planned any more";
    EXPECT_EQ(processes->looks, looks);

    processes->shares = {{1, 0.3}, {4, 1.0}};
    courtesy->watch();
    wait_for_claim(4, Claim::Spare);
}

TEST_F(CourtesyTest, LetsTheLastPageComputeAsItLikes) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.3}};
    courtesy->watch();
    wait_for_claim(1, Claim::Spare);
    processes->shares.erase(2);
    wait_for_claim(1, Claim::Full);
}

TEST_F(CourtesyTest, HasNewPagesMakeWayWhileTheyAreOpened) {
    make();
    processes->shares = {{1, 0.1}};
    auto opening = courtesy->for_opening();
    EXPECT_EQ(processes->first_claim, Claim::Least);
    processes->shares[2] = 0.1;
    opening.reset();
    EXPECT_EQ(processes->first_claim, Claim::Full);
    EXPECT_THAT(processes->claims, ElementsAre(Pair(2, Claim::Full)))
        << "those there before are as they were";
}

TEST_F(CourtesyTest, WaitsForTheLastOfThoseThatAreOpened) {
    make();
    auto one = courtesy->for_opening(), other = courtesy->for_opening();
    processes->shares[1] = 0.1;
    one.reset();
    EXPECT_EQ(processes->first_claim, Claim::Least);
    EXPECT_EQ(processes->claims.at(1), Claim::Full);
    processes->shares[2] = 0.1;
    other.reset();
    EXPECT_EQ(processes->first_claim, Claim::Full);
    EXPECT_EQ(processes->claims.at(2), Claim::Full);
}

TEST_F(CourtesyTest, LetsAPageThatIsOpenedForLongGoOn) {
    longest_opening = 10ms;
    make();
    auto opening = courtesy->for_opening();
    processes->shares[1] = 0.1;
    wait_for_claim(1, Claim::Full);
    EXPECT_EQ(processes->first_claim, Claim::Full);
}

TEST_F(CourtesyTest, DoesNothingWithoutAProcessorToSpare) {
    make(0);
    processes->shares = {{1, 1.0}, {2, 0.3}};
    EXPECT_EQ(courtesy->for_opening(), nullptr);
    courtesy->watch();
    EXPECT_EQ(loop.run_for(100ms), 0u);
    EXPECT_EQ(processes->first_claim, Claim::Full);
    EXPECT_THAT(processes->claims, IsEmpty());
}

TEST_F(CourtesyTest, EndsBeforeThoseThatAreOpened) {
    make();
    courtesy->watch();
    auto opening = courtesy->for_opening();
    courtesy.reset();
    opening.reset();
}

}  // namespace
