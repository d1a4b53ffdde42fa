#include "policy/proxy_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "util/loopback.h"

namespace policy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kMaxHead = 256 << 10;
// Timeout for receiving a request, resolving a name and connecting to a server.
constexpr std::chrono::seconds kConnectTimeout{60};
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// The error name of a browser that connects directly.
std::string browser_name(const boost::system::error_code& error) {
    if (error == asio::error::connection_refused) return "net::ERR_CONNECTION_REFUSED";
    if (error == asio::error::timed_out) return "net::ERR_CONNECTION_TIMED_OUT";
    if (error == asio::error::host_unreachable || error == asio::error::network_unreachable)
        return "net::ERR_ADDRESS_UNREACHABLE";
    return "net::ERR_CONNECTION_FAILED";
}

}  // namespace

ProxyConnection::ProxyConnection(EgressProxy& proxy, tcp::socket client, SubjectResolver resolve_subject)
    : proxy_(&proxy),
      resolve_subject_(std::move(resolve_subject)),
      client_(std::move(client)),
      server_(proxy.loop_),
      resolver_(proxy.loop_),
      connect_timer_(proxy.loop_) {}

void ProxyConnection::start() {
    connect_timer_.expires_after(kConnectTimeout);
    connect_timer_.async_wait([self = shared_from_this()](ErrorCode error) {
        if (!error) self->finish();
    });
    read_head();
}

void ProxyConnection::close() {
    proxy_ = nullptr;
    finish();
}

void ProxyConnection::finish() {
    auto self = shared_from_this();
    ErrorCode ignored;
    connect_timer_.cancel();
    resolver_.cancel();
    client_.close(ignored);
    server_.close(ignored);
    if (proxy_) proxy_->connections_.erase(self);
    proxy_ = nullptr;
}

void ProxyConnection::read_head() {
    asio::async_read_until(client_, asio::dynamic_buffer(from_client_, kMaxHead), kHeadEnd,
                           [self = shared_from_this()](ErrorCode error, std::size_t length) {
                               if (error || !self->proxy_) return self->finish();
                               std::string rest = self->from_client_.substr(length);
                               self->judge(self->from_client_.substr(0, length), std::move(rest));
                           });
}

void ProxyConnection::judge(std::string head, std::string rest) {
    from_client_ = std::move(rest);
    auto request = read_request(head);
    if (!request) return answer("400 Bad Request", request.error().message);
    request_ = std::move(*request);
    // Further requests would go to a server that was judged for the first one.
    if (!request_.tunnel && from_client_.size() > request_.body)
        return answer("400 Bad Request", "More than one request at a time.");
    who_ = resolve_subject_();
    const Policies& policies = proxy_->policies_;
    auto denial = request_.tunnel ? policies.judge_host(request_.host, request_.port, who())
                                  : policies.judge_url(request_.url, who());
    if (denial) return refuse(*denial);
    resolve();
}

void ProxyConnection::resolve() {
    ErrorCode error;
    if (auto address = asio::ip::make_address(request_.host, error); !error) {
        auto port = static_cast<unsigned short>(std::atoi(request_.port.c_str()));
        return choose(
            tcp::resolver::results_type::create(tcp::endpoint(address, port), request_.host, request_.port));
    }
    resolver_.async_resolve(
        request_.host, request_.port, tcp::resolver::numeric_service,
        [self = shared_from_this()](ErrorCode failed, const tcp::resolver::results_type& found) {
            if (!self->proxy_) return;
            if (failed) return self->answer_not_found();
            self->choose(found);
        });
}

void ProxyConnection::choose(const tcp::resolver::results_type& found) {
    Endpoints endpoints;
    std::optional<Denial> denial;
    for (const auto& each : found) {
        if (auto denied = proxy_->policies_.judge_address(request_.host, each.endpoint().address(), who()))
            denial = std::move(denied);
        else
            endpoints.push_back(each.endpoint());
    }
    // A name that leads to a forbidden address is not trusted with its other addresses.
    if (denial) return refuse(*denial);
    if (endpoints.empty()) return answer_not_found();
    connect(std::move(endpoints));
}

void ProxyConnection::connect(Endpoints endpoints) {
    auto shared = std::make_shared<Endpoints>(std::move(endpoints));
    asio::async_connect(
        server_, *shared, [self = shared_from_this(), shared](ErrorCode error, const tcp::endpoint&) {
            if (!self->proxy_) return;
            if (error) return self->answer_unreachable(error);
            self->proxy_->failures_.erase(EgressProxy::HostAndPort(self->request_.host, self->request_.port));
            self->connected();
        });
}

void ProxyConnection::connected() {
    ErrorCode error;
    tcp::endpoint there = server_.remote_endpoint(error);
    // A connection to this machine itself has the same address at both ends.
    bool is_here = is_loopback(there.address()) || there.address() == server_.local_endpoint(error).address();
    if (error) return finish();
    if (is_here && proxy_->protected_.contains(there.port()))
        return refuse({request_.host + ":" + request_.port, "the rule that pages never reach this server",
                       who_.value_or(Subject{})});
    server_.set_option(tcp::no_delay(true), error);
    connect_timer_.cancel();
    if (!request_.tunnel) return send_request();
    out_ = "HTTP/1.1 200 Connection established\r\n\r\n";
    asio::async_write(
        client_, asio::buffer(out_), [self = shared_from_this()](ErrorCode failed, std::size_t) {
            if (failed || !self->proxy_) return self->finish();
            self->relay(self->server_, self->client_, self->down_);
            self->out_ = std::move(self->from_client_);
            asio::async_write(self->server_, asio::buffer(self->out_), [self](ErrorCode broken, std::size_t) {
                if (broken || !self->proxy_) return self->finish();
                self->relay(self->client_, self->server_, self->up_);
            });
        });
}

void ProxyConnection::refuse(const Denial& denial) {
    proxy_->on_denied_(denial);
    answer("403 Forbidden", denial.error().message);
}

void ProxyConnection::answer_not_found() {
    proxy_->note_failure({request_.host, request_.port}, "net::ERR_NAME_NOT_RESOLVED");
    answer_no_server(request_.host + " was not found.");
}

void ProxyConnection::answer_unreachable(ErrorCode error) {
    proxy_->note_failure({request_.host, request_.port}, browser_name(error));
    answer_no_server(request_.host + " cannot be reached: " + error.message() + ".");
}

// An answer of ours to a plain request would be a page: the browser shows its own, as without a proxy, and
// requests of scripts fail.
void ProxyConnection::answer_no_server(const std::string& why) {
    if (!request_.tunnel) return finish();
    answer("502 Bad Gateway", why);
}

void ProxyConnection::answer(std::string_view status, const std::string& text) {
    out_ = "HTTP/1.1 " + std::string(status) +
           "\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\nContent-Length: " +
           std::to_string(text.size()) + "\r\nConnection: close\r\n\r\n" + text;
    asio::async_write(client_, asio::buffer(out_),
                      [self = shared_from_this()](ErrorCode, std::size_t) { self->finish(); });
}

void ProxyConnection::send_request() {
    out_ = request_.head + from_client_;
    request_.body -= from_client_.size();
    from_client_.clear();
    asio::async_write(server_, asio::buffer(out_), [self = shared_from_this()](ErrorCode error, std::size_t) {
        if (error || !self->proxy_) return self->finish();
        self->relay_body();
        self->read_answer_head();
    });
}

// Sends the rest of this request, then reads only to notice that the client disconnects.
void ProxyConnection::relay_body() {
    std::size_t room = request_.body == 0 ? 1 : std::min<std::uint64_t>(up_.size(), request_.body);
    client_.async_read_some(asio::buffer(up_, room),
                            [self = shared_from_this()](ErrorCode error, std::size_t count) {
                                if (error || !self->proxy_ || count > self->request_.body)
                                    return self->finish();
                                self->request_.body -= count;
                                asio::async_write(self->server_, asio::buffer(self->up_, count),
                                                  [self](ErrorCode failed, std::size_t) {
                                                      if (failed || !self->proxy_) return self->finish();
                                                      self->relay_body();
                                                  });
                            });
}

void ProxyConnection::read_answer_head() {
    asio::async_read_until(server_, asio::dynamic_buffer(from_server_, kMaxHead), kHeadEnd,
                           [self = shared_from_this()](ErrorCode error, std::size_t length) {
                               if (error || !self->proxy_) return self->finish();
                               self->take_answer_head(length);
                           });
}

void ProxyConnection::take_answer_head(std::size_t length) {
    auto head = closing_head(std::string_view(from_server_).substr(0, length));
    bool is_final = head.has_value();
    out_ = is_final ? std::move(*head) : from_server_.substr(0, length);
    from_server_.erase(0, length);
    if (is_final) out_ += std::exchange(from_server_, {});
    asio::async_write(client_, asio::buffer(out_),
                      [self = shared_from_this(), is_final](ErrorCode error, std::size_t) {
                          if (error || !self->proxy_) return self->finish();
                          if (!is_final) return self->read_answer_head();
                          self->relay(self->server_, self->client_, self->down_);
                      });
}

void ProxyConnection::relay(Socket& from, Socket& to, std::array<char, 16384>& buffer) {
    from.async_read_some(asio::buffer(buffer), [self = shared_from_this(), &from, &to, &buffer](
                                                   ErrorCode error, std::size_t count) {
        if (!self->proxy_) return;
        if (error) {
            // This side is done; the other may still send.
            ErrorCode ignored;
            if (error != asio::error::eof || &from == &self->server_) return self->finish();
            to.shutdown(tcp::socket::shutdown_send, ignored);
            return;
        }
        asio::async_write(to, asio::buffer(buffer, count),
                          [self, &from, &to, &buffer](ErrorCode failed, std::size_t) {
                              if (failed || !self->proxy_) return self->finish();
                              self->relay(from, to, buffer);
                          });
    });
}

}  // namespace policy
