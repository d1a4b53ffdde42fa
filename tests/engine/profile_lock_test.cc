#include "engine/profile_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"
#include "util/processes.h"

namespace {

using engine::ProfileClaim;
using engine::ProfileLock;
using testing::HasSubstr;
using namespace std::chrono_literals;

class ProfileLockTest : public testing::Test {
protected:
    Result<ProfileClaim> claim(Deadline deadline = Deadline::in(20s)) {
        return fakes::run_task(loop, ProfileLock::claim(loop, profile, deadline));
    }
    bool is_locked() const {
        Descriptor file(::open((profile / ".troupe-lock").c_str(), O_RDWR | O_CLOEXEC));
        return ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
    }
    // A program that runs until it is killed, with the lock, as a browser has it.
    static Spawned start_browser(const ProfileLock& lock) {
        return spawn({"sleep", "1000"}, {}, {}, Pipes::DevTools, lock.descriptor()).value();
    }
    static void end(const Spawned& process) {
        ::kill(process.pid, SIGKILL);
        ::waitpid(process.pid, nullptr, 0);
    }

    Loop loop;
    fakes::TemporaryDirectory directory;
    std::filesystem::path profile = directory.path() / "profile";
};

TEST_F(ProfileLockTest, MakesTheDirectoryAndFreesItWhenDropped) {
    auto mine = claim();
    ASSERT_TRUE(mine->lock);
    EXPECT_TRUE(is_locked());
    mine->lock.reset();
    EXPECT_FALSE(is_locked());
    EXPECT_TRUE(claim()->lock);
}

TEST_F(ProfileLockTest, SaysWhichServerHasTheProfile) {
    // Another process has it, and stays.
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    pid_t other = ::fork();
    if (other == 0) {
        Loop own;
        auto held = fakes::run_task(own, ProfileLock::claim(own, profile, Deadline::in(20s)));
        (void)!::write(ready[1], "x", 1);
        ::pause();
        ::_exit(0);
    }
    char byte;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    auto refused = claim();
    ASSERT_TRUE(refused);
    EXPECT_FALSE(refused->lock);
    EXPECT_EQ(refused->holder, "process " + std::to_string(other));

    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
    EXPECT_TRUE(claim()->lock);
}

TEST_F(ProfileLockTest, StaysWithTheBrowserThatOutlivesItsServer) {
    auto mine = claim();
    Spawned browser = start_browser(*mine->lock);
    mine->lock->set_browser(browser.pid);
    // As when the server is killed.
    mine->lock.reset();
    EXPECT_TRUE(is_locked());

    std::optional<Result<ProfileClaim>> next;
    Running waiting = start(ProfileLock::claim(loop, profile, Deadline::in(20s)),
                            [&](Result<ProfileClaim> result) { next = std::move(result); });
    EXPECT_FALSE(next);
    end(browser);
    fakes::run_until(loop, [&] { return next.has_value(); });
    EXPECT_TRUE((*next)->lock);
}

TEST_F(ProfileLockTest, WaitsForEveryProcessOfTheBrowser) {
    auto mine = claim();
    // It writes the profile as well, and has no part in the lock.
    Spawned browser = spawn({"sleep", "1000"}, {}, {}, Pipes::DevTools).value();
    mine->lock->set_browser(browser.pid);
    mine->lock.reset();
    ASSERT_FALSE(is_locked());
    std::optional<Result<ProfileClaim>> next;
    Running waiting = start(ProfileLock::claim(loop, profile, Deadline::in(20s)),
                            [&](Result<ProfileClaim> result) { next = std::move(result); });
    EXPECT_FALSE(next);
    end(browser);
    fakes::run_until(loop, [&] { return next.has_value(); });
    EXPECT_TRUE((*next)->lock);
}

TEST_F(ProfileLockTest, GivesUpOnABrowserThatDoesNotEnd) {
    auto mine = claim();
    Spawned browser = start_browser(*mine->lock);
    mine->lock.reset();
    auto refused = claim(Deadline::in(1ms));
    EXPECT_FALSE(refused->lock);
    end(browser);
}

TEST_F(ProfileLockTest, RespectsABrowserThatIsNoneOfOurs) {
    std::filesystem::create_directories(profile);
    std::filesystem::create_symlink("host-" + std::to_string(::getppid()), profile / "SingletonLock");
    auto refused = claim();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                HasSubstr("use --isolated to run multiple instances of the same browser"));

    // One that has ended left its name behind.
    std::filesystem::remove(profile / "SingletonLock");
    std::filesystem::create_symlink("host-999999999", profile / "SingletonLock");
    EXPECT_TRUE(claim()->lock);
}

}  // namespace
