// One connection of a browser through the gate.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "policy/gate_request.h"
#include "policy/network_gate.h"

namespace policy {

// Held by the gate until either side is done. Its pending operations hold it, too.
class GateConnection : public std::enable_shared_from_this<GateConnection> {
public:
    GateConnection(NetworkGate& gate, boost::asio::ip::tcp::socket client, WhoseDoor whose);

    void start();
    // The gate is going; nothing of it is touched any more.
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
    void answer(std::string_view status, const std::string& text);
    void send_request();
    void read_answer_head();
    void take_answer_head(std::size_t length);
    // Everything, until `from` ends.
    void relay(Socket& from, Socket& to, std::array<char, 16384>& buffer);
    void relay_body();
    void finish();

    NetworkGate* gate_;
    WhoseDoor whose_;
    std::optional<Subject> who_;  // once there is a request
    Socket client_;
    Socket server_;
    boost::asio::ip::tcp::resolver resolver_;
    boost::asio::steady_timer patience_;
    GateRequest request_;
    std::string from_client_;  // read, not sent on yet
    std::string from_server_;
    std::string out_;
    std::array<char, 16384> up_;
    std::array<char, 16384> down_;
};

}  // namespace policy
