#include "daemon/connect.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/handshake.h"
#include "daemon/start.h"

namespace daemons {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPause{5};        // between checks for a listening daemon
constexpr milliseconds kAnswer{10'000};  // timeout for the daemon's first line
constexpr std::size_t kMaxWelcomeBytes = 4096;
constexpr int kMaxStarts = 2;  // retries a daemon that was killed at once

milliseconds until(Clock::time_point deadline) {
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(deadline - Clock::now()));
}

// Returns an empty descriptor when no process listens.
Result<Descriptor> open_socket(const std::filesystem::path& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (path.string().size() >= sizeof address.sun_path)
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "The socket path is too long: " + path.string() + "."};
    std::ranges::copy(path.string(), address.sun_path);
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0)
        return Error{.message = std::string("Cannot open a socket: ") + std::strerror(errno)};
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return Descriptor();
    ucred peer{};
    socklen_t size = sizeof peer;
    bool known = ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    if (!known || peer.uid != ::geteuid()) {
        return Error{.code = ErrorCode::PolicyDenied,
                     .message = "Another user's process listens on " + path.string() + ".",
                     .hint = "Remove that socket."};
    }
    return socket;
}

// Returns the daemon's first line, or nothing when it hung up instead of answering.
Result<std::optional<Welcome>> exchange_first_lines(int socket, const Hello& hello) {
    std::string line = to_line(hello);
    if (::send(socket, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
        return std::optional<Welcome>();
    auto deadline = Clock::now() + kAnswer;
    std::string answer;
    while (!answer.ends_with('\n') && answer.size() < kMaxWelcomeBytes) {
        pollfd readable{socket, POLLIN, 0};
        int ready = ::poll(&readable, 1, static_cast<int>(until(deadline).count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            return Error{.code = ErrorCode::Timeout,
                         .message = "The daemon does not answer.",
                         .hint = "End it: it hangs, or was stopped."};
        }
        char byte;  // one by one: the bytes after the line must stay in the socket
        ssize_t count = ::recv(socket, &byte, 1, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return std::optional<Welcome>();
        answer += byte;
    }
    auto welcome = read_welcome(answer);
    if (!welcome)
        return Error{.code = ErrorCode::PolicyDenied, .message = "What listens there is no daemon of ours."};
    return std::optional(std::move(welcome));
}

Error refusal(const Welcome& daemon, const std::string& version) {
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "The daemon of version " + daemon.version + " does not understand version " +
                            version + ", and " + std::to_string(daemon.clients) + " others use it.",
                 .hint = "Close them, and the next start replaces it."};
}

}  // namespace

Result<Descriptor> connect_to_daemon(const ConnectOptions& options, History history) {
    auto deadline = Clock::now() + options.timeout;
    Hello hello{.version = options.version,
                .directory = options.directory,
                .generation = history.daemons,
                .agent = options.agent,
                .had_session = history.had_session};
    int starts = 0;
    while (Clock::now() < deadline) {
        Descriptor socket = TRY(open_socket(options.paths.socket));
        if (socket.get() >= 0) {
            auto welcome = TRY(exchange_first_lines(socket.get(), hello));
            bool asked_to_end = !std::exchange(hello.retire, "").empty();
            if (welcome && !welcome->retired) {
                Verdict verdict = judge(*welcome, options.version);
                if (verdict == Verdict::Refuse) return refusal(*welcome, options.version);
                if (verdict == Verdict::Use && !asked_to_end) return socket;
                // It has clients by now, or is another daemon: a daemon that was asked to end cannot be used.
                if (verdict == Verdict::Replace) hello.retire = welcome->version;
                continue;
            }
        }
        // The holder of the lock is alive, and listening or about to. Without a holder there is no daemon,
        // and any socket file left is stale.
        if (auto lock = TRY(try_lock(options.paths.lock))) {
            if (starts == kMaxStarts) {
                return Error{.message = "The daemon ended before it could be used.",
                             .hint = "Its log says why: " + options.paths.log.string()};
            }
            ::unlink(options.paths.socket.c_str());
            TRY(options.start(std::move(*lock)));
            ++starts;
        }
        ::poll(nullptr, 0, static_cast<int>(kPause.count()));
    }
    return Error{.code = ErrorCode::Timeout,
                 .message = "The daemon could not be reached.",
                 .hint = "Its log may say why: " + options.paths.log.string()};
}

}  // namespace daemons
