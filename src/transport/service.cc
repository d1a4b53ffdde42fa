#include "transport/service.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <boost/asio/signal_set.hpp>

#include "util/crypto.h"
#include "util/timer.h"

namespace transport {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kShutdownLimit{2};

// Restores a descriptor's flags: Asio makes it non-blocking, and a terminal shares that with the shell.
class RestoredFlags {
public:
    explicit RestoredFlags(int fd) : fd_(fd), flags_(::fcntl(fd, F_GETFL)) {}
    RestoredFlags(const RestoredFlags&) = delete;
    ~RestoredFlags() {
        if (flags_ >= 0) ::fcntl(fd_, F_SETFL, flags_);
    }

private:
    int fd_;
    int flags_;
};

// Runs the loop until a signal or another caller stops it. Created before the ready callback; once the loop
// has stopped, a second signal ends the process at once.
class SignalledRun {
public:
    explicit SignalledRun(Loop& loop) : loop_(loop), signals_(loop, SIGINT, SIGTERM) {
        // nohup's programs outlive their terminal.
        struct sigaction hang_up{};
        ::sigaction(SIGHUP, nullptr, &hang_up);
        if (hang_up.sa_handler != SIG_IGN) signals_.add(SIGHUP);
        signals_.async_wait([&loop](boost::system::error_code error, int) {
            if (!error) loop.stop();
        });
    }
    void run() {
        loop_.run();
        boost::system::error_code ignored;
        signals_.clear(ignored);
        signals_.cancel(ignored);
    }

private:
    Loop& loop_;
    asio::signal_set signals_;
};

// Stops the loop when no client was connected for a while. Checks periodically: it misses a client that comes
// and goes between two checks, and nothing depends on the exact moment.
class IdleEnd {
public:
    IdleEnd(Loop& loop, std::chrono::milliseconds limit, std::function<std::size_t()> clients)
        : loop_(loop), limit_(limit), clients_(std::move(clients)), timer_(loop) {
        if (limit_.count() > 0) look_again();
    }
    // Stops looking, so that it no longer keeps the loop busy.
    void cancel() { timer_.cancel(); }

private:
    using Clock = std::chrono::steady_clock;

    void look_again() {
        timer_.start(std::clamp<std::chrono::milliseconds>(limit_ / 10, kSoonest, kLatest), [this] {
            auto now = Clock::now();
            if (clients_() > 0) last_used_ = now;
            if (now - last_used_ >= limit_) return loop_.stop();
            look_again();
        });
    }

    static constexpr std::chrono::milliseconds kSoonest{10}, kLatest{5'000};
    Loop& loop_;
    std::chrono::milliseconds limit_;
    std::function<std::size_t()> clients_;
    Timer timer_;
    Clock::time_point last_used_ = Clock::now();
};

// Runs the loop until `done`, for a limited time. The loop itself never ends: browsers and watched
// directories keep it busy.
void run_until(Loop& loop, const std::function<bool()>& done) {
    auto limit = std::chrono::steady_clock::now() + kShutdownLimit;
    loop.restart();
    while (!done() && loop.run_one_until(limit) > 0) {
    }
    // Handlers that are ready may still refer to objects that are destroyed next.
    loop.restart();
    loop.poll();
}

// Every stream gets its last answer; then the connections close. Requests still unanswered after that fail
// with the error for the server's end.
void end_streams(Loop& loop, mcp::Server& server) {
    server.shut_down();
    run_until(loop, [&] { return !server.has_open_streams(); });
}

Result<void> run_on_stdio(Loop& loop, mcp::Server& server, const ServiceOptions& options) {
    SignalledRun until_stopped(loop);
    RestoredFlags input(STDIN_FILENO), output(STDOUT_FILENO);
    // Uses copies, so that closing the client does not free descriptors 0 and 1 for other files.
    int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (in < 0 || out < 0) {
        return Error{.message = "Standard input and output must be open: they carry the protocol.",
                     .hint = "Use --port to serve over HTTP instead."};
    }
    bool gone = false;
    auto client = LineClient::start(server, in, out, {}, options.endpoints.lines,
                                    tools::Caller{.connection = random_uuid(), .same_user = true}, [&] {
                                        gone = true;
                                        loop.stop();
                                    });
    if (options.ready) options.ready(0);
    until_stopped.run();
    if (options.stopping) options.stopping();
    end_streams(loop, server);
    client->close();
    run_until(loop, [&] { return gone; });
    return ok();
}

Result<void> run_on_listener(Loop& loop, mcp::Server& server, ServiceOptions options, Log& log,
                             Metrics& metrics) {
    SignalledRun until_stopped(loop);
    Endpoints endpoints(server, options.endpoints);
    auto http = HttpServer::create(
        loop, options.http,
        [&](const std::shared_ptr<HttpExchange>& exchange) { endpoints.handle(exchange); },
        [&](int descriptor, std::string first_bytes) {
            endpoints.take_lines(descriptor, std::move(first_bytes));
        },
        log, metrics);
    http->set_headers(browser_headers());
    int port = 0;
    if (options.port) port = TRY(http->listen_tcp(options.endpoints.access.host, *options.port));
    if (!options.socket.empty()) TRY(http->listen_unix(options.socket, options.peers));
    options.endpoints.access.port = port;
    endpoints.set_access(options.endpoints.access);
    if (options.ready) options.ready(port);
    IdleEnd idle_end(loop, options.idle_end,
                     [&] { return endpoints.client_count() + http->connection_count(); });
    until_stopped.run();
    idle_end.cancel();
    if (options.stopping) options.stopping();
    log.info("shutting down", {{"clients", endpoints.client_count()}});
    http->stop_listening();
    end_streams(loop, server);
    endpoints.close();
    http->drain();
    run_until(loop, [&] { return http->connection_count() == 0 && endpoints.client_count() == 0; });
    return ok();
}

// Allocates large messages separately, so that their memory returns to the system. By default the C library
// would keep ever larger blocks for reuse.
void give_memory_back() {
    ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
    ::mallopt(M_TRIM_THRESHOLD, 256 << 10);
}

}  // namespace

Result<void> run_service(Loop& loop, tools::Registry& registry, ServiceOptions options, Log& log,
                         Metrics& metrics) {
    give_memory_back();
    mcp::Server server(loop, registry, options.server, log, metrics);
    if (options.port || !options.socket.empty())
        return run_on_listener(loop, server, std::move(options), log, metrics);
    return run_on_stdio(loop, server, options);
}

}  // namespace transport
