#include "browsers/process_memory.h"

#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace {

constexpr std::size_t kBlock = 32 << 20;

void* touched_block() {
    void* block = ::mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(block, 1, kBlock);
    return block;
}

TEST(ProcessMemory, CountsWhatAProcessWroteTo) {
    std::uint64_t before = browsers::memory_of_tree(::getpid());
    void* block = touched_block();
    std::uint64_t after = browsers::memory_of_tree(::getpid());
    ::munmap(block, kBlock);
    EXPECT_GT(before, 0u);
    EXPECT_GE(after, before + kBlock * 9 / 10);
}

TEST(ProcessMemory, CountsTheProcessesThatItStarted) {
    int ready[2], end[2];
    ASSERT_EQ(::pipe(ready), 0);
    ASSERT_EQ(::pipe(end), 0);
    std::uint64_t before = browsers::memory_of_tree(::getpid());
    pid_t child = ::fork();
    if (child == 0) {
        touched_block();
        char byte = 1;
        (void)!::write(ready[1], &byte, 1);
        ::close(end[1]);
        (void)!::read(end[0], &byte, 1);
        ::_exit(0);
    }
    char byte;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    std::uint64_t after = browsers::memory_of_tree(::getpid());
    for (int descriptor : {ready[0], ready[1], end[0], end[1]}) ::close(descriptor);
    ::waitpid(child, nullptr, 0);
    EXPECT_GE(after, before + kBlock * 9 / 10);
}

TEST(ProcessMemory, KnowsWhatIsAvailable) {
    EXPECT_GT(browsers::available_memory(), 1u << 20);
    EXPECT_LT(browsers::available_memory(), std::uint64_t{1} << 50);
}

TEST(ProcessMemory, IsNothingForAProcessThatIsGone) { EXPECT_EQ(browsers::memory_of_tree(999'999'999), 0u); }

}  // namespace
