// The whole HTTP stack with the fuzz target at the other end of its connections.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/world.h"
#include "transport/endpoints.h"
#include "transport/http_connection.h"

namespace fuzz {

// Serves connections that are socket pairs: no ports, no clock, nothing left behind. Limits are small, so
// that short inputs reach them.
class Wire {
public:
    static constexpr std::size_t kMaxHeader = 1024, kMaxBody = 2048;

    Wire();
    ~Wire();

    enum class Over { Tcp, UnixSocket };
    // Opens a further connection, which send() and received() are about from then on.
    void connect(Over over);
    // Sends in one piece and lets the server do all it can do with it.
    void send(std::string_view bytes);
    // What came on the connection so far.
    const std::string& received() const { return clients_.back().received; }
    // Makes the server believe that so much time has passed on its connections.
    void pass(std::chrono::seconds span);
    // Closes the client's end of every connection; the server must let go of all of them.
    void hang_up();

    // A new connection's GET /healthz is answered as ever.
    void check_health();
    // Everything that came on any connection is HTTP, or lines of JSON where that is allowed.
    void check_answers() const;

    // The last Mcp-Session-Id or ?sessionId= that the server gave.
    std::string session_id() const;

private:
    struct Client {
        int descriptor;
        Over over;
        std::string received;
    };

    void settle();

    World world_;
    std::unique_ptr<transport::Endpoints> endpoints_;
    std::unique_ptr<transport::HttpShared> shared_;
    std::vector<Client> clients_;
};

}  // namespace fuzz
