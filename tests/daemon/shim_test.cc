#include "daemon/shim.h"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/handshake.h"

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace daemons {
namespace {

constexpr int kTimeout = 20'000;  // ms for something that must come

// One line from a descriptor, empty at its end.
std::string read_line(int descriptor) {
    std::string line;
    for (char c;;) {
        pollfd readable{descriptor, POLLIN, 0};
        if (::poll(&readable, 1, kTimeout) <= 0) {
            ADD_FAILURE() << "no line came, only: " << line.substr(0, 100);
            return line;
        }
        if (::read(descriptor, &c, 1) != 1 || c == '\n') return line;
        line += c;
    }
}

void write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        ssize_t count = ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL);
        if (count <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

// A shim between a client and a daemon that the test both plays.
class ShimTest : public testing::Test {
protected:
    explicit ShimTest(DaemonSilence silence = {}) {
        std::string name = (std::filesystem::temp_directory_path() / "troupe-shim-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        std::ranges::copy((directory_ / "d.sock").string(), address.sun_path);
        listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(listening_, 8), 0);
        int daemon[2], client[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, daemon), 0);
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, client), 0);
        daemon_ = daemon[0];
        client_ = client[0];
        ::fcntl(client[1], F_SETFL, O_NONBLOCK);
        ConnectOptions options{
            .paths = {directory_ / "d.sock", directory_ / "d.lock", directory_ / "d.log"},
            .version = "1",
            .directory = "/a",
            .start = [](Descriptor) -> Result<void> { return Error{.message = "No daemon today."}; }};
        running_ = std::thread([this, options, silence, link = daemon[1], end = client[1]] {
            Shim(options, Descriptor(link), end, end, silence).run();
            ::close(end);
            ended_ = true;
        });
    }
    ~ShimTest() override {
        for (int each : {client_, daemon_, listening_}) ::close(each);
        running_.join();
        std::filesystem::remove_all(directory_);
    }

    void kill_daemon() { ::close(std::exchange(daemon_, -1)); }
    // The daemon that the shim turns to next; gives what it was greeted with.
    Hello accept_next() {
        daemon_ = ::accept(listening_, nullptr, nullptr);
        auto hello = read_hello(read_line(daemon_));
        write_all(daemon_, to_line(Welcome{.version = "1"}));
        return hello.value_or(Hello{});
    }
    void begin() {
        write_all(client_, R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"a":1}})"
                           "\n");
        EXPECT_THAT(read_line(daemon_), HasSubstr("initialize"));
        write_all(daemon_, R"({"jsonrpc":"2.0","id":0,"result":{}})"
                           "\n");
        EXPECT_THAT(read_line(client_), HasSubstr(R"("id":0)"));
    }

    std::filesystem::path directory_;
    int listening_ = -1, daemon_ = -1, client_ = -1;
    std::atomic<bool> ended_ = false;
    std::thread running_;
};

constexpr std::string_view kCall = R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})";

TEST_F(ShimTest, NeverShowsHalfAnAnswerOfADaemonThatDied) {
    begin();
    write_all(client_, std::string(kCall) + "\n");
    EXPECT_EQ(read_line(daemon_), kCall);
    write_all(daemon_, R"({"jsonrpc":"2.0","id":1,"result":{"half)");
    kill_daemon();

    EXPECT_THAT(read_line(client_), AllOf(HasSubstr(R"("id":1,"error")"), HasSubstr("has ended")));
}

TEST_F(ShimTest, GoesOnWithTheNextDaemonAsIfNothingHadHappened) {
    begin();
    kill_daemon();
    write_all(client_, std::string(kCall) + "\n");

    Hello hello = accept_next();
    EXPECT_EQ(hello.directory, "/a");
    EXPECT_EQ(hello.generation, 1);
    EXPECT_THAT(read_line(daemon_), HasSubstr(R"("method":"initialize","params":{"a":1})"));
    EXPECT_EQ(read_line(daemon_), kCall);
    write_all(daemon_, R"({"jsonrpc":"2.0","id":"troupe-shim-1","result":{}})"
                       "\n");
    write_all(daemon_, R"({"jsonrpc":"2.0","id":1,"result":{"ok":1}})"
                       "\n");
    EXPECT_EQ(read_line(client_), R"({"jsonrpc":"2.0","id":1,"result":{"ok":1}})");
}

TEST_F(ShimTest, GivesACallThatItsDaemonNeverReadToTheNext) {
    begin();
    write_all(client_, std::string(kCall) + "\n");
    pollfd unread{daemon_, POLLIN, 0};
    ASSERT_EQ(::poll(&unread, 1, kTimeout), 1);
    kill_daemon();

    accept_next();
    EXPECT_THAT(read_line(daemon_), HasSubstr("initialize"));
    EXPECT_EQ(read_line(daemon_), kCall);
    write_all(daemon_, R"({"jsonrpc":"2.0","id":1,"result":{}})"
                       "\n");
    EXPECT_THAT(read_line(client_), HasSubstr(R"("id":1,"result")"));
}

TEST_F(ShimTest, GivesUpOnACallThatTwoDaemonsNeverRead) {
    begin();
    write_all(client_, std::string(kCall) + "\n");
    for (int i = 0; i < 2; ++i) {
        pollfd unread{daemon_, POLLIN, 0};
        ASSERT_EQ(::poll(&unread, 1, kTimeout), 1);
        if (i == 1) {
            EXPECT_THAT(read_line(daemon_), HasSubstr("initialize"));
            ASSERT_EQ(::poll(&unread, 1, kTimeout), 1);
        }
        kill_daemon();
        if (i == 0) accept_next();
    }
    EXPECT_THAT(read_line(client_), HasSubstr(R"("id":1,"error")"));
}

TEST_F(ShimTest, RepeatsAnInitializeThatTheDaemonDiedOf) {
    write_all(client_, R"({"jsonrpc":"2.0","id":0,"method":"initialize"})"
                       "\n");
    read_line(daemon_);
    kill_daemon();
    accept_next();
    EXPECT_EQ(read_line(daemon_), R"({"jsonrpc":"2.0","id":0,"method":"initialize"})");
    write_all(daemon_, R"({"jsonrpc":"2.0","id":0,"result":{}})"
                       "\n");
    EXPECT_THAT(read_line(client_), HasSubstr("result"));
}

TEST_F(ShimTest, SaysWhyThereIsNoDaemonAndTriesAgain) {
    begin();
    kill_daemon();
    ::close(std::exchange(listening_, -1));
    for (int i = 0; i < 2; ++i) {
        write_all(client_, std::string(kCall) + "\n");
        EXPECT_THAT(read_line(client_), AllOf(HasSubstr(R"("id":1,"error")"), HasSubstr("No daemon today.")));
    }
}

TEST_F(ShimTest, StopsReadingWhatTheClientDoesNotTake) {
    begin();
    std::string answer = R"({"jsonrpc":"2.0","method":"n","params":")" + std::string(100'000, 'x') + "\"}\n";
    ::fcntl(daemon_, F_SETFL, O_NONBLOCK);
    std::size_t sent = 0;
    pollfd writable{daemon_, POLLOUT, 0};
    // Until it takes no more for a while.
    while (sent < (64u << 20) && ::poll(&writable, 1, 300) > 0) {
        ssize_t count =
            ::write(daemon_, answer.data() + sent % answer.size(), answer.size() - sent % answer.size());
        if (count > 0) sent += static_cast<std::size_t>(count);
    }
    EXPECT_LT(sent, 4u << 20);
    // What it has taken arrives whole.
    for (std::size_t i = 0; i < sent / answer.size(); ++i)
        EXPECT_EQ(read_line(client_).size() + 1, answer.size());
}

TEST_F(ShimTest, PassesALongMessageOnAsItIs) {
    begin();
    std::string message = R"({"jsonrpc":"2.0","method":"n","params":")" + std::string(5 << 20, 'x') + "\"}";
    std::thread writing([&] { write_all(client_, message + "\n"); });
    std::string seen;
    char buffer[65536];
    for (ssize_t count; !seen.ends_with('\n') && (count = ::read(daemon_, buffer, sizeof buffer)) > 0;)
        seen.append(buffer, static_cast<std::size_t>(count));
    writing.join();
    EXPECT_TRUE(seen == message + "\n");
}

TEST_F(ShimTest, EndsWithItsClientOnceTheDaemonHasSaidTheRest) {
    begin();
    write_all(client_, kCall);  // without its newline
    ::shutdown(client_, SHUT_WR);
    EXPECT_EQ(read_line(daemon_), kCall);
    EXPECT_THAT(read_line(daemon_), IsEmpty());  // its end
    EXPECT_FALSE(ended_);
    write_all(daemon_, R"({"jsonrpc":"2.0","id":1,"result":{}})"
                       "\n");
    kill_daemon();
    EXPECT_THAT(read_line(client_), HasSubstr(R"("id":1,"result")"));
    EXPECT_THAT(read_line(client_), IsEmpty());
}

// A shim that soon takes a silent daemon for a frozen one.
class FrozenDaemonTest : public ShimTest {
protected:
    FrozenDaemonTest()
        : ShimTest({.before_ping = std::chrono::milliseconds(20),
                    .after_ping = std::chrono::milliseconds(2'000)}) {}

    void send_call(int id) {
        write_all(client_,
                  R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call"})" + "\n");
    }
    void answer(const std::string& id) {
        write_all(daemon_, R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})" + "\n");
    }
};

TEST_F(FrozenDaemonTest, IsAnsweredForAndGetsNoCallTwice) {
    begin();
    send_call(1);
    EXPECT_THAT(read_line(daemon_), HasSubstr(R"("id":1)"));
    EXPECT_THAT(read_line(daemon_), HasSubstr(R"("id":"troupe-shim-1","method":"ping")"));

    EXPECT_THAT(read_line(client_), AllOf(HasSubstr(R"("id":1,"error")"), HasSubstr("does not answer"),
                                          HasSubstr("may or may not"), HasSubstr("kill -CONT")));
    // A call that comes meanwhile is refused at once, and never runs.
    send_call(2);
    EXPECT_THAT(read_line(client_), AllOf(HasSubstr(R"("id":2,"error")"), HasSubstr("was not sent")));

    // It goes on: its late answer is not for the client, and it hears that the call was cancelled.
    EXPECT_THAT(read_line(daemon_),
                AllOf(HasSubstr("notifications/cancelled"), HasSubstr(R"("requestId":1)")));
    EXPECT_THAT(read_line(daemon_), HasSubstr(R"("id":"troupe-shim-2","method":"ping")"));
    answer("1");
    answer(R"("troupe-shim-1")");
    answer(R"("troupe-shim-2")");
    send_call(3);
    EXPECT_THAT(read_line(daemon_), HasSubstr(R"("id":3)"));
    answer("3");
    EXPECT_THAT(read_line(client_), HasSubstr(R"("id":3,"result")"));
}

TEST_F(FrozenDaemonTest, MayTakeItsTimeWithACall) {
    begin();
    send_call(1);
    EXPECT_THAT(read_line(daemon_), HasSubstr(R"("id":1)"));
    for (int i = 1; i <= 8; ++i) {
        std::string id = "\"troupe-shim-" + std::to_string(i) + "\"";
        EXPECT_THAT(read_line(daemon_), HasSubstr(id));
        answer(id);
    }
    answer("1");
    EXPECT_THAT(read_line(client_), HasSubstr(R"("id":1,"result")"));
}

}  // namespace
}  // namespace daemons
