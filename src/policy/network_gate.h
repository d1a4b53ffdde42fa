// The one way from our browsers to the network: a proxy on this machine that keeps to the policy.
//
// Rules that only look at requests miss what asks in other ways: WebSockets, workers, service workers,
// preconnects, names that lead to another address the second time. Every connection ends here, is judged by
// its name, is resolved here, judged by its address, and goes to just that address.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include <boost/asio/ip/tcp.hpp>

#include "policy/policies.h"
#include "util/async.h"

namespace policy {

class GateConnection;
class GateDoor;

// Whose connections come through a door, as far as anybody knows.
using WhoseDoor = std::function<std::optional<Subject>()>;

// Lives on the main loop.
class NetworkGate {
public:
    using Told = std::function<void(const Denial& denial)>;

    // `told` hears of every refusal.
    NetworkGate(Loop& loop, const Policies& policies, Told told);
    ~NetworkGate();

    // Takes a port of its own on the loopback address, for what has no other door: nobody knows whose it is.
    Result<int> listen();
    // One more port, for the connections of whom `whose` says.
    Result<std::shared_ptr<GateDoor>> open_door(WhoseDoor whose);
    // A port of ours that no page may reach, whatever the rules say.
    void protect(int port) { protected_.insert(port); }

    std::size_t connection_count() const { return connections_.size(); }

private:
    friend class GateConnection;
    friend class GateDoor;

    Loop& loop_;
    const Policies& policies_;
    Told told_;
    std::shared_ptr<GateDoor> main_door_;
    std::set<GateDoor*> doors_;
    std::set<int> protected_;
    std::set<std::shared_ptr<GateConnection>> connections_;
};

// Closes when dropped; connections that are through go on. Like all of the gate, never to be reached by a
// page.
class GateDoor : public std::enable_shared_from_this<GateDoor> {
public:
    GateDoor(NetworkGate& gate, WhoseDoor whose);
    GateDoor(const GateDoor&) = delete;
    ~GateDoor() { close(); }

    int port() const { return port_; }

private:
    friend class NetworkGate;

    Result<void> open();
    void accept();
    void close();

    NetworkGate* gate_;  // null once that has gone
    WhoseDoor whose_;
    boost::asio::ip::tcp::acceptor acceptor_;
    int port_ = 0;
};

}  // namespace policy
