#include "policy/egress_proxy.h"

#include "policy/origin.h"
#include "policy/proxy_connection.h"

namespace policy {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

// More than any browser opens at a time; further connections wait in the kernel.
constexpr std::size_t kMaxConnections = 8192;

}  // namespace

EgressProxy::EgressProxy(Loop& loop, const Policies& policies, OnDenied on_denied)
    : loop_(loop), policies_(policies), on_denied_(std::move(on_denied)) {}

EgressProxy::~EgressProxy() {
    for (ProxyPort* port : std::set(ports_)) port->close();
    for (const auto& connection : std::exchange(connections_, {})) connection->close();
}

Result<int> EgressProxy::listen() {
    main_port_ = TRY(open_port([] { return std::optional<Subject>(); }));
    return main_port_->port();
}

std::optional<std::string> EgressProxy::failure(const std::string& url) const {
    Origin origin = read_origin(url);
    std::string port = origin.port.empty() ? default_port(origin.scheme) : origin.port;
    std::string_view host = origin.host;
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    auto failure = failures_.find(HostAndPort(std::string(host), port));
    return failure == failures_.end() ? std::nullopt : std::optional(failure->second);
}

void EgressProxy::note_failure(HostAndPort host_and_port, std::string failure) {
    constexpr std::size_t kMaxPlaces = 1'000;
    if (failures_.size() >= kMaxPlaces) failures_.clear();
    failures_[std::move(host_and_port)] = std::move(failure);
}

Result<std::shared_ptr<ProxyPort>> EgressProxy::open_port(SubjectResolver resolve_subject) {
    auto port = std::make_shared<ProxyPort>(*this, std::move(resolve_subject));
    TRY(port->open());
    return port;
}

ProxyPort::ProxyPort(EgressProxy& proxy, SubjectResolver resolve_subject)
    : proxy_(&proxy), resolve_subject_(std::move(resolve_subject)), acceptor_(proxy.loop_) {
    proxy.ports_.insert(this);
}

Result<void> ProxyPort::open() {
    error_code error;
    tcp::endpoint here(boost::asio::ip::address_v4::loopback(), 0);
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error)
        return Error{.code = ErrorCode::NetworkError,
                     .message = "The egress proxy that enforces the rules cannot listen: " + error.message()};
    port_ = acceptor_.local_endpoint(error).port();
    proxy_->protect(port_);
    accept();
    return ok();
}

void ProxyPort::close() {
    error_code ignored;
    acceptor_.close(ignored);
    if (!proxy_) return;
    proxy_->ports_.erase(this);
    proxy_->protected_.erase(port_);
    proxy_ = nullptr;
}

void ProxyPort::accept() {
    acceptor_.async_accept([weak = weak_from_this()](error_code error, tcp::socket client) {
        auto self = weak.lock();
        if (!self || !self->proxy_ || error == boost::asio::error::operation_aborted) return;
        EgressProxy& proxy = *self->proxy_;
        if (!error && proxy.connections_.size() < kMaxConnections) {
            error_code ignored;
            client.set_option(tcp::no_delay(true), ignored);
            auto connection =
                std::make_shared<ProxyConnection>(proxy, std::move(client), self->resolve_subject_);
            proxy.connections_.insert(connection);
            connection->start();
        }
        self->accept();
    });
}

}  // namespace policy
