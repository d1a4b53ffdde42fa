#include "policy/network_gate.h"

#include "policy/gate_connection.h"

namespace policy {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

// More than any browser asks for at a time; what comes beyond it waits in the kernel.
constexpr std::size_t kMaxConnections = 8192;

}  // namespace

NetworkGate::NetworkGate(Loop& loop, const Policies& policies, Told told)
    : loop_(loop), policies_(policies), told_(std::move(told)) {}

NetworkGate::~NetworkGate() {
    for (GateDoor* door : std::set(doors_)) door->close();
    for (const auto& connection : std::exchange(connections_, {})) connection->close();
}

Result<int> NetworkGate::listen() {
    main_door_ = TRY(open_door([] { return std::optional<Subject>(); }));
    return main_door_->port();
}

Result<std::shared_ptr<GateDoor>> NetworkGate::open_door(WhoseDoor whose) {
    auto door = std::make_shared<GateDoor>(*this, std::move(whose));
    TRY(door->open());
    return door;
}

GateDoor::GateDoor(NetworkGate& gate, WhoseDoor whose)
    : gate_(&gate), whose_(std::move(whose)), acceptor_(gate.loop_) {
    gate.doors_.insert(this);
}

Result<void> GateDoor::open() {
    error_code error;
    tcp::endpoint here(boost::asio::ip::address_v4::loopback(), 0);
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error)
        return Error{.code = ErrorCode::NetworkError,
                     .message = "The gate that keeps pages to the rules cannot listen: " + error.message()};
    port_ = acceptor_.local_endpoint(error).port();
    gate_->protect(port_);
    accept();
    return ok();
}

void GateDoor::close() {
    error_code ignored;
    acceptor_.close(ignored);
    if (!gate_) return;
    gate_->doors_.erase(this);
    gate_->protected_.erase(port_);
    gate_ = nullptr;
}

void GateDoor::accept() {
    acceptor_.async_accept([weak = weak_from_this()](error_code error, tcp::socket client) {
        auto self = weak.lock();
        if (!self || !self->gate_ || error == boost::asio::error::operation_aborted) return;
        NetworkGate& gate = *self->gate_;
        if (!error && gate.connections_.size() < kMaxConnections) {
            error_code ignored;
            client.set_option(tcp::no_delay(true), ignored);
            auto connection = std::make_shared<GateConnection>(gate, std::move(client), self->whose_);
            gate.connections_.insert(connection);
            connection->start();
        }
        self->accept();
    });
}

}  // namespace policy
