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

// Processes that want a processor for as much of the time as the test says; each look is a moment later.
class FakeProcesses final : public session::PageProcesses {
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
    void set_claim(pid_t process, Claim claim) override { claims[process] = claim; }
    void set_first_claim(Claim claim) override { first_claim = claim; }

    bool browser = true;
    std::map<pid_t, double> shares;
    std::vector<pid_t> others;      // that are no pages
    pid_t hidden = 0;               // one that is not listed
    std::map<pid_t, Claim> claims;  // as last set
    Claim first_claim = Claim::Full;
    int looks = 0;

private:
    static constexpr std::chrono::milliseconds kMoment{50};

    Deadline::Clock::time_point now_ = {};
    std::map<pid_t, std::chrono::nanoseconds> wanted_;
};

class CourtesyTest : public testing::Test {
protected:
    void make(std::size_t spare_processors = 1) {
        auto made = std::make_unique<FakeProcesses>();
        processes = made.get();
        courtesy.emplace(loop, std::move(made),
                         session::CourtesyOptions{.spare_processors = spare_processors,
                                                  .look = 1ms,
                                                  .quiet_look = 1ms,
                                                  .lone_look = 1ms,
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
    EXPECT_EQ(processes->claims.at(2), Claim::Full);
}

TEST_F(CourtesyTest, LetsAPageComputeWhileNobodyElseWorks) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.0}};
    courtesy->watch();
    look_again(5);
    EXPECT_EQ(processes->claims.at(1), Claim::Full);
    processes->shares[2] = 0.3;
    wait_for_claim(1, Claim::Spare);
}

TEST_F(CourtesyTest, KeepsNoMorePagesThanThereAreProcessorsForThem) {
    make(2);
    processes->shares = {{1, 1.0}, {2, 1.0}, {3, 1.0}};
    courtesy->watch();
    wait_for_claim(2, Claim::Spare);
    look_again(5);
    EXPECT_EQ(processes->claims.at(3), Claim::Full);
    // A place that becomes free is taken.
    processes->shares.erase(1);
    wait_for_claim(3, Claim::Spare);
}

TEST_F(CourtesyTest, LooksWhileThereIsABrowser) {
    make();
    courtesy->watch();
    look_again(3);
    processes->shares = {{1, 0.3}, {2, 1.0}};
    wait_for_claim(2, Claim::Spare);
    processes->browser = false;
    fakes::run_until(loop, [&] { return loop.run_for(20ms) == 0; });
    int looks = processes->looks;

    processes->shares = {{1, 0.3}, {4, 1.0}};
    courtesy->watch();
    EXPECT_EQ(processes->looks, looks) << "there is none";
    processes->browser = true;
    courtesy->watch();
    wait_for_claim(4, Claim::Spare);
}

TEST_F(CourtesyTest, ForgetsNoPageThatIsNotListedOnce) {
    make();
    processes->shares = {{1, 1.0}, {2, 0.3}, {3, 0.3}};
    courtesy->watch();
    wait_for_claim(1, Claim::Spare);
    processes->hidden = 1;
    look_again(2);
    processes->hidden = 0;
    processes->shares[1] = 0.1;
    wait_for_claim(1, Claim::Full);
}

TEST_F(CourtesyTest, FindsAPageThatWasNotListedWhenItWasOpened) {
    make();
    processes->shares = {{1, 0.1}};
    auto opening = courtesy->for_opening();
    processes->shares[2] = 0.1;
    processes->hidden = 2;
    opening.reset();
    EXPECT_FALSE(processes->claims.contains(2));
    courtesy->watch();
    processes->hidden = 0;
    wait_for_claim(2, Claim::Full);
}

TEST_F(CourtesyTest, DoesNotTakeAPageThatIsOpenedForOneThatComputes) {
    make();
    processes->shares = {{1, 0.3}};
    auto opening = courtesy->for_opening();
    processes->shares[2] = 1.0;
    courtesy->watch();
    look_again(5);
    EXPECT_FALSE(processes->claims.contains(2));
    opening.reset();
    wait_for_claim(2, Claim::Spare);
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
    processes->others = {7};
    opening.reset();
    EXPECT_EQ(processes->first_claim, Claim::Full);
    EXPECT_THAT(processes->claims, ElementsAre(Pair(2, Claim::Full), Pair(7, Claim::Full)))
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
    auto opening = courtesy->for_opening();
    EXPECT_EQ(opening.use_count(), 0);
    EXPECT_EQ(processes->first_claim, Claim::Full);
    courtesy->watch();
    EXPECT_EQ(loop.run_for(20ms), 0u);
    EXPECT_THAT(processes->claims, IsEmpty());
}

TEST_F(CourtesyTest, EndsBeforeThoseThatAreOpened) {
    make();
    processes->shares = {{1, 0.3}, {2, 0.3}};
    courtesy->watch();
    look_again(2);
    auto opening = courtesy->for_opening();
    courtesy.reset();
    opening.reset();
    loop.run_for(20ms);  // what was cancelled says so
    loop.restart();
    EXPECT_EQ(loop.run_for(20ms), 0u) << "nobody looks any more";
}

}  // namespace
