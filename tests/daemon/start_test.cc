#include "daemon/start.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "util/files.h"

using testing::HasSubstr;

namespace daemons {
namespace {

class StartTest : public testing::Test {
protected:
    StartTest() {
        std::string name = (std::filesystem::temp_directory_path() / "troupe-start-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
        paths_ = {directory_ / "d.sock", directory_ / "d.lock", directory_ / "d.log"};
        EXPECT_EQ(::mkfifo(until().c_str(), 0600), 0);
    }
    ~StartTest() override { std::filesystem::remove_all(directory_); }

    // What is started reads from it, and so ends when the test says.
    std::filesystem::path until() const { return directory_ / "until"; }
    Result<void> start(const std::string& program, const std::string& script) {
        auto lock = try_lock(paths_.lock);
        EXPECT_TRUE(lock && *lock);
        return start_detached(paths_, program, {"sh", "-c", script}, std::move(**lock));
    }
    bool is_locked() const {
        auto lock = try_lock(paths_.lock);
        return lock && !*lock;
    }
    // The kernel takes a moment to end a process.
    bool becomes_free() const {
        for (int i = 0; i < 20'000 && is_locked(); ++i) ::poll(nullptr, 0, 1);
        return !is_locked();
    }

    std::filesystem::path directory_;
    DaemonPaths paths_;
};

TEST_F(StartTest, LeavesTheLockToADaemonForAsLongAsThatLives) {
    std::string fifo = until().string();
    ASSERT_TRUE(start("/bin/sh", "echo $PPID $$ >&2; echo ready > " + fifo + "; read x < " + fifo));
    Descriptor from(::open(fifo.c_str(), O_RDONLY | O_CLOEXEC));  // opens when the daemon writes
    char text[16];
    ASSERT_GT(::read(from.get(), text, sizeof text), 0);
    from = Descriptor();

    EXPECT_TRUE(is_locked());
    std::string log = read_file(paths_.log).value_or("");
    EXPECT_THAT(log, testing::Not(HasSubstr(std::to_string(::getpid()) + " "))) << "it is our child";

    Descriptor to(::open(fifo.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::write(to.get(), "x\n", 2), 2);
    EXPECT_TRUE(becomes_free());
}

TEST_F(StartTest, SaysSoWhenThereIsNoSuchProgram) {
    auto started = start("/no/such/program", "");
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message, HasSubstr("/no/such/program"));
    EXPECT_TRUE(becomes_free());
}

}  // namespace
}  // namespace daemons
