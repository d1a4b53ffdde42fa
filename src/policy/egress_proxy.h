// The only path from our browsers to the network: a proxy on this machine that enforces the policy.
//
// Rules that only see requests miss other traffic: WebSockets, workers, service workers, preconnects, names
// that resolve to another address the second time. Every connection ends here, is judged by its name, is
// resolved here, judged by its address, and goes to exactly that address.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <boost/asio/ip/tcp.hpp>

#include "policy/policies.h"
#include "util/async.h"

namespace policy {

class ProxyConnection;
class ProxyPort;

// Returns the owner of a port's connections, if known.
using SubjectResolver = std::function<std::optional<Subject>()>;

// Lives on the main loop.
class EgressProxy {
public:
    using OnDenied = std::function<void(const Denial& denial)>;

    // `on_denied` is called for every refusal.
    EgressProxy(Loop& loop, const Policies& policies, OnDenied on_denied);
    ~EgressProxy();

    // Opens the default loopback port, for traffic without a port of its own: its owner is unknown.
    Result<int> listen();
    // Opens a further port, whose connections belong to the result of `resolve_subject`.
    Result<std::shared_ptr<ProxyPort>> open_port(SubjectResolver resolve_subject);
    // Protects a port of ours, which no page may reach, whatever the rules allow.
    void protect(int port) { protected_.insert(port); }

    std::size_t connection_count() const { return connections_.size(); }
    // The error of the last connection to a host, as browsers name it without a proxy:
    // "net::ERR_NAME_NOT_RESOLVED". Nothing when there was none.
    std::optional<std::string> failure(const std::string& url) const;

private:
    using HostAndPort = std::pair<std::string, std::string>;
    void note_failure(HostAndPort host_and_port, std::string failure);

    friend class ProxyConnection;
    friend class ProxyPort;

    Loop& loop_;
    const Policies& policies_;
    OnDenied on_denied_;
    std::shared_ptr<ProxyPort> main_port_;
    std::set<ProxyPort*> ports_;
    std::set<int> protected_;
    std::map<HostAndPort, std::string> failures_;
    std::set<std::shared_ptr<ProxyConnection>> connections_;
};

// A port of the proxy. Closes when dropped; established connections continue. No page may ever reach it.
class ProxyPort : public std::enable_shared_from_this<ProxyPort> {
public:
    ProxyPort(EgressProxy& proxy, SubjectResolver resolve_subject);
    ProxyPort(const ProxyPort&) = delete;
    ~ProxyPort() { close(); }

    int port() const { return port_; }

private:
    friend class EgressProxy;

    Result<void> open();
    void accept();
    void close();

    EgressProxy* proxy_;  // null once it is destroyed
    SubjectResolver resolve_subject_;
    boost::asio::ip::tcp::acceptor acceptor_;
    int port_ = 0;
};

}  // namespace policy
