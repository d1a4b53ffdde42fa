#include "policy/network_gate.h"

#include "policy/gate_connection.h"

namespace policy {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

// More than any browser asks for at a time; what comes beyond it waits in the kernel.
constexpr std::size_t kMaxConnections = 8192;

}  // namespace

NetworkGate::NetworkGate(Loop& loop, const Policy& policy, Told told)
    : loop_(loop), policy_(policy), told_(std::move(told)), acceptor_(loop) {}

NetworkGate::~NetworkGate() {
    error_code ignored;
    acceptor_.close(ignored);
    for (const auto& connection : std::exchange(connections_, {})) connection->close();
}

Result<int> NetworkGate::listen() {
    error_code error;
    tcp::endpoint here(boost::asio::ip::address_v4::loopback(), 0);
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error)
        return Error{.code = ErrorCode::NetworkError,
                     .message = "The gate that keeps pages to the rules cannot listen: " + error.message()};
    int port = acceptor_.local_endpoint(error).port();
    protect(port);
    accept();
    return port;
}

void NetworkGate::accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket client) {
        if (!acceptor_.is_open() || error == boost::asio::error::operation_aborted) return;
        if (!error && connections_.size() < kMaxConnections) {
            error_code ignored;
            client.set_option(tcp::no_delay(true), ignored);
            auto connection = std::make_shared<GateConnection>(*this, std::move(client));
            connections_.insert(connection);
            connection->start();
        }
        accept();
    });
}

}  // namespace policy
