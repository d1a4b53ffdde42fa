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

#include "policy/policy.h"
#include "util/async.h"

namespace policy {

class GateConnection;

// Lives on the main loop.
class NetworkGate {
public:
    using Told = std::function<void(const Denial& denial)>;

    // `told` hears of every refusal.
    NetworkGate(Loop& loop, const Policy& policy, Told told);
    ~NetworkGate();

    // Takes a port of its own on the loopback address.
    Result<int> listen();
    // A port of ours that no page may reach, whatever the rules say.
    void protect(int port) { protected_.insert(port); }

    std::size_t connection_count() const { return connections_.size(); }

private:
    friend class GateConnection;

    void accept();

    Loop& loop_;
    const Policy& policy_;
    Told told_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::set<int> protected_;
    std::set<std::shared_ptr<GateConnection>> connections_;
};

}  // namespace policy
