#include "daemon/connect.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/answer_handshake.h"
#include "daemon/start.h"
#include "util/files.h"
#include "util/private_directory.h"
#include "util/strings.h"

using testing::HasSubstr;
using testing::SizeIs;

namespace daemons {
namespace {

// How a daemon of the test behaves.
struct Manner {
    std::string version = "1.0";
    int link = kLinkVersion;
    std::int64_t clients = 0;  // that it claims to have besides
};

int listen_on(const std::filesystem::path& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::ranges::copy(path.string(), address.sun_path);
    int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return bound && ::listen(socket, 64) == 0 ? socket : -1;
}

// A process that holds the lock and answers first lines, until it is asked to end or killed.
[[noreturn]] void be_daemon(const DaemonPaths& paths, const Manner& manner) {
    ::alarm(60);
    int listening = listen_on(paths.socket);
    if (listening < 0) ::_exit(2);
    for (;;) {
        int client = ::accept(listening, nullptr, nullptr);
        std::string line;
        for (char c; !line.ends_with('\n') && ::read(client, &c, 1) == 1;) line += c;
        auto answered =
            answer_handshake(client, line, static_cast<std::size_t>(manner.clients), manner.version);
        if (!answered) ::_exit(3);
        answered->welcome.link = manner.link;
        std::string answer = to_line(answered->welcome);
        if (::write(client, answer.data(), answer.size()) < 0) ::_exit(4);
        if (answered->welcome.retired) {
            ::unlink(paths.socket.c_str());
            ::_exit(0);
        }
    }
}

class ConnectTest : public testing::Test {
protected:
    ConnectTest() {
        std::string name = (std::filesystem::temp_directory_path() / "troupe-link-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
        paths_ = {directory_ / "d.sock", directory_ / "d.lock", directory_ / "d.log"};
        options_ = {.paths = paths_, .version = "1.0", .directory = "/a", .start = [this](Descriptor lock) {
                        return start(std::move(lock), {});
                    }};
    }
    ~ConnectTest() override {
        for (pid_t pid : started()) ::kill(pid, SIGKILL);
        while (::waitpid(-1, nullptr, 0) > 0) continue;
        std::filesystem::remove_all(directory_);
    }

    // Writes down each process that it starts.
    Result<void> start(Descriptor, Manner manner) {
        pid_t pid = ::fork();
        if (pid == 0) be_daemon(paths_, manner);
        std::string line = std::to_string(pid) + "\n";
        Descriptor list(
            ::open((directory_ / "started").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        EXPECT_EQ(::write(list.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
        return ok();
    }
    // As if an earlier client had started it.
    void start_before(Manner manner) {
        auto lock = try_lock(paths_.lock);
        ASSERT_TRUE(lock && *lock);
        ASSERT_TRUE(start(std::move(**lock), manner));
        while (!std::filesystem::exists(paths_.socket)) ::poll(nullptr, 0, 1);
    }
    std::vector<pid_t> started() const {
        std::vector<pid_t> pids;
        std::ifstream file(directory_ / "started");
        for (pid_t pid; file >> pid;) pids.push_back(pid);
        return pids;
    }
    static void kill_and_wait(pid_t pid) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }

    std::filesystem::path directory_;
    DaemonPaths paths_;
    ConnectOptions options_;
};

TEST_F(ConnectTest, StartsADaemonOnceForManyClientsAtOnce) {
    constexpr int kClients = 24;
    int gate[2];
    ASSERT_EQ(::pipe2(gate, O_CLOEXEC), 0);
    std::vector<pid_t> racers;
    for (int i = 0; i < kClients; ++i) {
        pid_t pid = ::fork();
        if (pid == 0) {
            ::close(gate[1]);
            char byte;
            (void)!::read(gate[0], &byte, 1);  // until all are there
            auto connected = connect_to_daemon(options_);
            ::_exit(connected ? 0 : 1);
        }
        racers.push_back(pid);
    }
    ::close(gate[0]);
    ::close(gate[1]);
    for (pid_t pid : racers) {
        int status = -1;
        ::waitpid(pid, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_THAT(started(), SizeIs(1));
}

TEST_F(ConnectTest, ReplacesWhatAKilledDaemonLeft) {
    ASSERT_TRUE(connect_to_daemon(options_));
    kill_and_wait(started().at(0));
    ASSERT_TRUE(std::filesystem::exists(paths_.socket));

    EXPECT_TRUE(connect_to_daemon(options_, {.daemons = 1}));
    EXPECT_THAT(started(), SizeIs(2));
}

TEST_F(ConnectTest, WaitsForADaemonThatAnotherClientIsStarting) {
    int gate[2];
    ASSERT_EQ(::pipe2(gate, O_CLOEXEC), 0);
    pid_t other = ::fork();
    if (other == 0) {
        auto lock = try_lock(paths_.lock);
        (void)!::write(gate[1], "x", 1);
        ::poll(nullptr, 0, 50);  // what a start takes
        if (!lock || !*lock || !start(std::move(**lock), {})) ::_exit(1);
        ::_exit(0);
    }
    char byte;
    ASSERT_EQ(::read(gate[0], &byte, 1), 1);
    options_.start = [](Descriptor) -> Result<void> { return Error{.message = "started twice"}; };

    auto connected = connect_to_daemon(options_);

    EXPECT_TRUE(connected) << connected.error().to_string();
    ::close(gate[0]);
    ::close(gate[1]);
}

TEST_F(ConnectTest, SaysSoWhenTheDaemonDiesAtOnce) {
    options_.start = [](Descriptor) { return Result<void>(); };

    auto connected = connect_to_daemon(options_);

    ASSERT_FALSE(connected);
    EXPECT_THAT(connected.error().to_string(), HasSubstr("d.log"));
}

TEST_F(ConnectTest, ReplacesAnOlderDaemonThatNobodyUses) {
    start_before({.version = "0.9"});

    EXPECT_TRUE(connect_to_daemon(options_));
    EXPECT_THAT(started(), SizeIs(2));
}

TEST_F(ConnectTest, UsesAnOlderDaemonThatOthersUse) {
    start_before({.version = "0.9", .clients = 2});

    EXPECT_TRUE(connect_to_daemon(options_));
    EXPECT_THAT(started(), SizeIs(1));
}

TEST_F(ConnectTest, RefusesADaemonOfAnotherLanguageThatOthersUse) {
    start_before({.version = "2.0", .link = kLinkVersion + 1, .clients = 2});

    auto connected = connect_to_daemon(options_);

    ASSERT_FALSE(connected);
    EXPECT_THAT(connected.error().message, HasSubstr("version 2.0"));
    EXPECT_THAT(started(), SizeIs(1));
}

TEST_F(ConnectTest, GivesUpOnALockThatNobodyAnswersFor) {
    auto held = try_lock(paths_.lock);
    ASSERT_TRUE(held && *held);
    options_.timeout = std::chrono::milliseconds(30);

    auto connected = connect_to_daemon(options_);

    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().code, ErrorCode::Timeout);
}

TEST(DaemonPaths, KeepsOthersOut) {
    std::string name = (std::filesystem::temp_directory_path() / "troupe-place-XXXXXX").string();
    std::filesystem::path directory = ::mkdtemp(name.data());
    std::filesystem::create_directory(directory / "open");
    ::chmod((directory / "open").c_str(), 0777);

    EXPECT_TRUE(ensure_private_directory(directory / "open"));
    struct stat status{};
    ::stat((directory / "open").c_str(), &status);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    std::filesystem::create_directory_symlink(directory / "open", directory / "link");
    EXPECT_FALSE(ensure_private_directory(directory / "link"));
    std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace daemons
