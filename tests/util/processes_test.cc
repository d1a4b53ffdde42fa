#include "util/processes.h"

#include <csignal>
#include <filesystem>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::Contains;

// A process of two threads that does nothing, or nothing but compute, until the test ends.
class Child {
public:
    enum class Does { Nothing, Computes };

    explicit Child(Does what) {
        int ready[2];
        if (::pipe(ready) != 0 || ::pipe(end_) != 0) ADD_FAILURE() << "no pipe";
        id = ::fork();
        if (id == 0) {
            ::close(end_[1]);
            std::thread([&] { wait(what); }).detach();
            char byte = 1;
            (void)!::write(ready[1], &byte, 1);
            wait(what);
            ::_exit(0);
        }
        char byte;
        EXPECT_EQ(::read(ready[0], &byte, 1), 1);
        ::close(ready[0]);
        ::close(ready[1]);
    }
    ~Child() {
        ::close(end_[0]);
        ::close(end_[1]);
        ::kill(id, SIGKILL);
        ::waitpid(id, nullptr, 0);
    }

    pid_t id = 0;

private:
    void wait(Does what) {
        for (volatile std::uint64_t i = 0; what == Does::Computes; i = i + 1);
        char byte;
        (void)!::read(end_[0], &byte, 1);
    }

    int end_[2];
};

std::vector<int> processors_of(pid_t process) {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(process, sizeof set, &set);
    std::vector<int> processors;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) processors.push_back(i);
    }
    return processors;
}

TEST(Processes, AreKnownByWhoStartedThem) {
    Child child(Child::Does::Nothing);
    EXPECT_THAT(children_of(::getpid()), Contains(child.id));
    EXPECT_THAT(children_of(child.id), testing::IsEmpty());
    EXPECT_EQ(command_of(child.id), command_of(::getpid()));
    EXPECT_EQ(command_of(999'999'999), "");
}

TEST(Processes, TellForHowLongTheyWantedAProcessor) {
    Child calm(Child::Does::Nothing), busy(Child::Does::Computes);
    auto before = cpu_demand(busy.id), calm_before = cpu_demand(calm.id);
    ASSERT_TRUE(before && calm_before);
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    auto grown = [&] { return *cpu_demand(busy.id) - *before; };
    while (grown() < std::chrono::milliseconds(100) && std::chrono::steady_clock::now() < end)
        ::sched_yield();
    EXPECT_GE(grown(), std::chrono::milliseconds(100));
    EXPECT_LT(*cpu_demand(calm.id) - *calm_before, grown() / 2);
    EXPECT_EQ(cpu_demand(999'999'999), std::nullopt);
}

TEST(Processes, LeaveAProcessorToOthersAndTakeItAgain) {
    Child child(Child::Does::Nothing);
    std::vector<int> all = processors_of(::getpid()), spare = all;
    if (spare.size() > 1) spare.erase(spare.begin());
    EXPECT_EQ(spare_processors(), all.size() - 1);
    for (CpuPriority priority : {CpuPriority::OffFirstCpu, CpuPriority::Idle}) {
        set_cpu_priority(child.id, priority);
        EXPECT_EQ(processors_of(child.id), spare);
        set_cpu_priority(child.id, CpuPriority::Normal);
        EXPECT_EQ(processors_of(child.id), all);
        EXPECT_EQ(::sched_getscheduler(child.id), SCHED_OTHER);
    }
    EXPECT_EQ(processors_of(::getpid()), all);
}

TEST(Processes, HaveAllTheirThreadsMakeWay) {
    Child child(Child::Does::Nothing);
    set_cpu_priority(child.id, CpuPriority::Idle);
    int policy = ::sched_getscheduler(child.id);
    std::size_t threads = 0;
    for (const auto& each :
         std::filesystem::directory_iterator("/proc/" + std::to_string(child.id) + "/task")) {
        pid_t thread = std::stoi(each.path().filename());
        EXPECT_EQ(processors_of(thread), processors_of(child.id));
        EXPECT_EQ(::sched_getscheduler(thread), policy);
        ++threads;
    }
    EXPECT_GE(threads, 2u);  // a sanitizer has one of its own
    // Whoever could not take it back is not told to.
    sched_param none{};
    Child other(Child::Does::Nothing);
    bool can_take_back = ::sched_setscheduler(other.id, SCHED_IDLE, &none) == 0 &&
                         ::sched_setscheduler(other.id, SCHED_OTHER, &none) == 0;
    EXPECT_EQ(policy, can_take_back ? SCHED_IDLE : SCHED_OTHER);
}

TEST(Processes, ThatAreGoneHaveNoPriority) { set_cpu_priority(999'999'999, CpuPriority::Idle); }

}  // namespace
