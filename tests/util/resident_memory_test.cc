#include "util/resident_memory.h"

#include <array>
#include <fstream>
#include <numeric>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

std::size_t resident_pages() {
    std::size_t total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident;
}

// In the program's file, so that it is mapped from there.
constexpr std::array<char, 1 << 20> kConstants{1};

long sum() { return std::accumulate(kConstants.begin(), kConstants.end(), 0L); }

TEST(ResidentMemory, IsGivenBackAndComesBack) {
    ASSERT_EQ(sum(), 1);
    std::size_t before = resident_pages();
    release_unused_memory();
    EXPECT_LT(resident_pages() + (512u << 10) / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), before);
    EXPECT_EQ(sum(), 1);
}

TEST(ResidentMemory, KeepsWhatWasWritten) {
    static std::vector<int> written(100'000, 7);
    release_unused_memory();
    EXPECT_EQ(std::accumulate(written.begin(), written.end(), 0), 700'000);
}

TEST(ResidentMemory, IsTrimmedWhenTheLatestRequestIsDue) {
    Loop loop{1};
    MemoryTrimmer trimmer(loop);
    trimmer.trim_in(1h);
    trimmer.trim_in(1ms);
    ASSERT_EQ(sum(), 1);
    std::size_t before = resident_pages();
    loop.run();
    EXPECT_LT(resident_pages(), before);
}

}  // namespace
