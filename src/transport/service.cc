#include "transport/service.h"

#include <algorithm>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "util/crypto.h"

namespace transport {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kShutdownLimit{2};

// Asio makes descriptors non-blocking, which a terminal shares with the shell that started us.
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

// Runs the loop until a signal or somebody stops it. Armed before anybody is told that we are ready; once it
// has stopped, a second signal ends the process at once.
class SignalledRun {
public:
    explicit SignalledRun(Loop& loop) : loop_(loop), signals_(loop, SIGINT, SIGTERM) {
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

// Stops the loop when nobody was there for a while. Looks from time to time: whoever comes and goes between
// two looks is missed, and nothing depends on the exact moment.
class IdleEnd {
public:
    IdleEnd(Loop& loop, std::chrono::milliseconds limit, std::function<std::size_t()> clients)
        : loop_(loop), limit_(limit), clients_(std::move(clients)), timer_(loop) {
        if (limit_.count() > 0) look_again();
    }
    // From now on it holds nothing up; what the loop still has of it must find it alive.
    void cancel() {
        cancelled_ = true;
        timer_.cancel();
    }

private:
    using Clock = std::chrono::steady_clock;

    void look_again() {
        timer_.expires_after(std::clamp<std::chrono::milliseconds>(limit_ / 10, kSoonest, kLatest));
        timer_.async_wait([this](boost::system::error_code error) {
            if (error || cancelled_) return;
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
    asio::steady_timer timer_;
    Clock::time_point last_used_ = Clock::now();
    bool cancelled_ = false;
};

// Runs the loop until `done`, not for long. The loop itself never ends: browsers and watched directories keep
// it busy.
void run_until(Loop& loop, const std::function<bool()>& done) {
    auto limit = std::chrono::steady_clock::now() + kShutdownLimit;
    loop.restart();
    while (!done() && loop.run_one_until(limit) > 0) {
    }
    // What is ready may still refer to the objects that go now.
    loop.restart();
    loop.poll();
}

// Every stream gets its last answer; the connections close behind it. What is still unanswered then fails as
// a request that the server's end met.
void end_streams(Loop& loop, mcp::Server& server) {
    server.shut_down();
    run_until(loop, [&] { return !server.has_open_streams(); });
}

Result<void> run_on_stdio(Loop& loop, mcp::Server& server, const ServiceOptions& options) {
    SignalledRun until_stopped(loop);
    RestoredFlags input(STDIN_FILENO), output(STDOUT_FILENO);
    // Copies, so that closing the client leaves nothing for another file to take the place of.
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

// Large messages get memory of their own, which goes back to the system with them. Left alone, the C library
// would keep ever larger pieces for the next one.
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
