#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "transport/http.h"
#include "transport/http_connection.h"
#include "util/peer_user.h"
#include "util/timer.h"

namespace transport {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

Error socket_error(const std::string& what, const error_code& error) {
    return Error{.code = ErrorCode::NetworkError, .message = what + ": " + error.message() + "."};
}

class Server final : public HttpServer {
public:
    Server(Loop& loop, HttpLimits limits, HttpHandler handler, LineHandler lines, Log& log, Metrics& metrics)
        : shared_{.loop = loop,
                  .limits = limits,
                  .handler = std::move(handler),
                  .lines = std::move(lines),
                  .log = log,
                  .requests = metrics.counter("troupe_http_requests_total", "HTTP requests received."),
                  .refused =
                      metrics.counter("troupe_http_refused_total",
                                      "HTTP requests and connections refused as malformed or too many."),
                  .timeouts = metrics.counter("troupe_http_timeouts_total",
                                              "HTTP connections dropped for being too slow.")},
          ticker_(loop) {
        metrics.gauge("troupe_http_connections", "Open HTTP connections.",
                      [this] { return static_cast<double>(shared_.connections.size()); });
    }
    ~Server() override {
        stop_listening();
        close();
    }

    void set_headers(Headers headers) override { shared_.headers = std::move(headers); }

    Result<int> listen_tcp(const std::string& host, int port) override {
        asio::ip::tcp::resolver resolver(shared_.loop);
        error_code error;
        auto addresses =
            resolver.resolve(host, std::to_string(port), asio::ip::tcp::resolver::passive, error);
        if (error) return socket_error("Cannot find the address of \"" + host + "\"", error);
        int bound = 0;
        std::optional<Error> failure;
        for (const auto& address : addresses) {
            asio::ip::tcp::endpoint endpoint = address.endpoint();
            // With port 0 all addresses of a host name get the same port as the first one.
            if (bound != 0) endpoint.port(static_cast<unsigned short>(bound));
            asio::ip::tcp::acceptor acceptor(shared_.loop);
            acceptor.open(endpoint.protocol(), error);
            if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
            if (!error && endpoint.protocol() == asio::ip::tcp::v6())
                acceptor.set_option(asio::ip::v6_only(true), error);
            if (!error) acceptor.bind(endpoint, error);
            if (!error) acceptor.listen(1024, error);
            if (error) {
                if (!failure)
                    failure =
                        socket_error("Cannot listen on " + host + " port " + std::to_string(port), error);
                // A machine without IPv6 is no reason to fail; a port in use is.
                if (error == asio::error::address_in_use) break;
                continue;
            }
            bound = acceptor.local_endpoint().port();
            tcp_.push_back(std::make_shared<asio::ip::tcp::acceptor>(std::move(acceptor)));
            accept(tcp_.back());
        }
        if (bound == 0 || (failure && error == asio::error::address_in_use)) {
            tcp_.clear();
            failure->hint = "Choose another port with --port, or --port 0 for any free one.";
            return *failure;
        }
        return bound;
    }

    Result<void> listen_unix(const std::filesystem::path& path, Peers peers) override {
        asio::local::stream_protocol::endpoint endpoint;
        try {
            endpoint = asio::local::stream_protocol::endpoint(path.string());
        } catch (const boost::system::system_error&) {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "The socket path is too long: " + path.string() + ".",
                         .hint = "A Unix socket's path has at most 107 bytes."};
        }
        error_code error;
        asio::local::stream_protocol::socket probe(shared_.loop);
        probe.connect(endpoint, error);
        if (!error) {
            return Error{.code = ErrorCode::NetworkError,
                         .message = "Another server listens on " + path.string() + ".",
                         .hint = "Stop it, or choose another path with --socket."};
        }
        struct stat status{};
        if (::lstat(path.c_str(), &status) == 0) {
            if (!S_ISSOCK(status.st_mode)) {
                return Error{.code = ErrorCode::InvalidArgument,
                             .message = path.string() + " exists and is not a socket.",
                             .hint = "Choose another path with --socket."};
            }
            ::unlink(path.c_str());
        }
        auto acceptor = std::make_shared<asio::local::stream_protocol::acceptor>(shared_.loop);
        acceptor->open(endpoint.protocol(), error);
        mode_t before = ::umask(0177);
        if (!error) acceptor->bind(endpoint, error);
        ::umask(before);
        if (!error) acceptor->listen(1024, error);
        if (error) return socket_error("Cannot listen on " + path.string(), error);
        unix_ = std::move(acceptor);
        unix_path_ = path;
        peers_ = peers;
        accept(unix_);
        return ok();
    }

    void stop_listening() override {
        tcp_.clear();
        if (unix_) {
            unix_.reset();
            ::unlink(unix_path_.c_str());
        }
    }

    void drain() override {
        auto all = shared_.connections;
        for (const auto& connection : all) connection->drain();
        ticker_.cancel();
    }

    void close() override {
        auto all = shared_.connections;
        for (const auto& connection : all) connection->close();
        ticker_.cancel();
    }

    std::size_t connection_count() const override { return shared_.connections.size(); }

private:
    // A connection may be accepted already when the acceptor goes, and this with it: then its handler finds
    // no acceptor.
    template <class Acceptor>
    void accept(const std::shared_ptr<Acceptor>& listening) {
        listening->async_accept([this, weak = std::weak_ptr(listening)](error_code error, auto socket) {
            auto acceptor = weak.lock();
            if (!acceptor || error == asio::error::operation_aborted) return;
            constexpr bool kLocal = std::is_same_v<Acceptor, asio::local::stream_protocol::acceptor>;
            if (!error) {
                if constexpr (!kLocal) {
                    error_code ignored;
                    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
                }
                if (kLocal && peers_ == Peers::SameUser && !is_same_user(socket.native_handle()))
                    shared_.log.warn("refused a connection of another user");
                else
                    take(HttpConnection::Socket(std::move(socket)), kLocal);
            } else {
                shared_.log.warn("cannot accept a connection", {{"error", error.message()}});
                // Out of descriptors: try again with the next tick instead of at once.
                if (error == asio::error::no_descriptors ||
                    error == error_code(ENFILE, boost::system::system_category())) {
                    waiting_.push_back([this, weak] {
                        if (auto again = weak.lock()) accept(again);
                    });
                    tick_later();
                    return;
                }
            }
            accept(acceptor);
        });
    }

    void take(HttpConnection::Socket socket, bool local) {
        if (shared_.connections.size() + *shared_.upgraded >= shared_.limits.max_connections) {
            shared_.refused.add();
            std::string full =
                shared_.head(503, {{"Retry-After", "1"}, {"Content-Length", "0"}}, false) + "\r\n";
            error_code ignored;
            socket.non_blocking(true, ignored);
            socket.write_some(asio::buffer(full), ignored);
            return;
        }
        auto connection = std::make_shared<HttpConnection>(shared_, std::move(socket), local);
        shared_.connections.insert(connection);
        connection->start();
        tick_later();
    }

    // Runs once a second while there are connections: far cheaper than a timer for each of them.
    void tick_later() {
        if (ticking_) return;
        ticking_ = true;
        auto interval =
            std::min<std::chrono::milliseconds>(std::chrono::seconds(1), shared_.limits.header_timeout);
        ticker_.start(interval, [this] {
            ticking_ = false;
            for (auto& resume : std::exchange(waiting_, {})) resume();
            auto all = shared_.connections;
            auto now = HttpConnection::Clock::now();
            for (const auto& connection : all) connection->tick(now);
            if (!shared_.connections.empty()) tick_later();
        });
    }

    HttpShared shared_;
    std::vector<std::shared_ptr<asio::ip::tcp::acceptor>> tcp_;
    std::shared_ptr<asio::local::stream_protocol::acceptor> unix_;
    std::filesystem::path unix_path_;
    Peers peers_ = Peers::Anybody;
    std::vector<std::function<void()>> waiting_;
    Timer ticker_;
    bool ticking_ = false;
};

}  // namespace

std::unique_ptr<HttpServer> HttpServer::create(Loop& loop, HttpLimits limits, HttpHandler handler,
                                               LineHandler lines, Log& log, Metrics& metrics) {
    return std::make_unique<Server>(loop, limits, std::move(handler), std::move(lines), log, metrics);
}

}  // namespace transport
