#include "engine/cdp/temporary_profile.h"

#include <fcntl.h>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "util/files.h"
#include "util/processes.h"
#include "util/spawn.h"

namespace {

namespace fs = std::filesystem;

class TemporaryProfileTest : public testing::Test {
protected:
    TemporaryProfileTest() { ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1); }
    ~TemporaryProfileTest() override { ::unsetenv("XDG_CACHE_HOME"); }

    fs::path profiles() const { return cache_directory() / "profiles"; }
    fs::path make(const std::string& name) const {
        fs::path directory = profiles() / name;
        fs::create_directories(directory / "Default");
        return directory;
    }

    fakes::TemporaryDirectory cache;
};

// A remover in a process of its own, as it is in life.
class Remover {
public:
    explicit Remover(const fs::path& directory) {
        int ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        process_ = ::fork();
        if (process_ == 0) {
            ::dup2(ends[0], STDIN_FILENO);
            ::close(ends[1]);
            ::_exit(cdp::remove_when_orphaned(directory));
        }
        ::close(ends[0]);
        input_ = ends[1];
    }
    // The server has died.
    void orphan() { ::close(input_); }
    void wait() const { ::waitpid(process_, nullptr, 0); }

private:
    pid_t process_ = -1;
    int input_ = -1;
};

TEST_F(TemporaryProfileTest, IsRemovedWithItsServerAlsoWhenTheBrowserMakesItAnew) {
    fs::path directory = make("tmp-orphan");
    Remover remover(directory);
    remover.orphan();
    while (fs::exists(directory)) std::this_thread::yield();
    fs::create_directories(directory / "Default");

    remover.wait();

    EXPECT_FALSE(fs::exists(directory));
}

TEST_F(TemporaryProfileTest, IsRemovedWithItsServerOnceItsBrowserHasEnded) {
    fs::path directory = make("tmp-used");
    std::string script = "while :; do mkdir -p " + (directory / "Default").string() + "; done";
    std::string argument = cdp::user_data_argument(directory);
    // It makes the directory anew as fast as it can, in a group of its own, and in a process that it started.
    auto browser = spawn({"/bin/sh", "-c", "sh -c '" + script + "' & " + script, "sh", argument}, {}, {});
    ASSERT_TRUE(browser);
    Remover remover(directory);

    remover.orphan();
    remover.wait();

    EXPECT_FALSE(has_living_member(browser->pid));
    EXPECT_FALSE(fs::exists(directory));
    ::waitpid(browser->pid, nullptr, 0);
}

TEST_F(TemporaryProfileTest, StaleOnesAreThoseWithoutAnOwner) {
    fs::path dead = make("tmp-dead"), being_made = make("tmp-new"), never_locked = make("tmp-old"),
             other = make("mcp-chromium-1");
    std::ofstream(dead / ".troupe-lock").put('x');
    auto owned = cdp::TemporaryProfile::create({});
    ASSERT_TRUE(owned);
    fs::last_write_time(never_locked, fs::file_time_type::clock::now() - std::chrono::hours(1));

    cdp::remove_stale_profiles();

    EXPECT_FALSE(fs::exists(dead));
    EXPECT_FALSE(fs::exists(never_locked));
    EXPECT_TRUE(fs::exists(being_made));
    EXPECT_TRUE(fs::exists((*owned)->path()));
    EXPECT_TRUE(fs::exists(other));
}

}  // namespace
