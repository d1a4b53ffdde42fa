// One connection of a browser through the proxy.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "policy/egress_proxy.h"
#include "policy/proxy_request.h"

namespace policy {

// Owned by the proxy until either side is done. Its pending operations own it, too.
class ProxyConnection : public std::enable_shared_from_this<ProxyConnection> {
public:
    ProxyConnection(EgressProxy& proxy, boost::asio::ip::tcp::socket client, SubjectResolver resolve_subject);

    void start();
    // Called when the proxy is destroyed, which is not accessed afterwards.
    void close();

private:
    using Socket = boost::asio::ip::tcp::socket;
    using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;
    using ErrorCode = boost::system::error_code;
    enum class After { Close, Continue };

    void read_head();
    void judge(std::string head, std::string rest);
    void resolve();
    void choose(const boost::asio::ip::tcp::resolver::results_type& found);
    void connect(Endpoints endpoints);
    void connected();
    const Subject* who() const { return who_ ? &*who_ : nullptr; }
    void refuse(const Denial& denial);
    void answer_not_found();
    void answer_unreachable(ErrorCode error);
    void answer_no_server(const std::string& why);
    void answer(std::string_view status, const std::string& text);
    void send_request();
    void read_answer_head();
    void take_answer_head(std::size_t length);
    // Copies all bytes until `from` ends.
    void relay(Socket& from, Socket& to, std::array<char, 16384>& buffer);
    void relay_body();
    void finish();

    EgressProxy* proxy_;
    SubjectResolver resolve_subject_;
    std::optional<Subject> who_;  // set once there is a request
    Socket client_;
    Socket server_;
    boost::asio::ip::tcp::resolver resolver_;
    boost::asio::steady_timer connect_timer_;
    ProxyRequest request_;
    std::string from_client_;  // read, not yet forwarded
    std::string from_server_;
    std::string out_;
    std::array<char, 16384> up_;
    std::array<char, 16384> down_;
};

}  // namespace policy
