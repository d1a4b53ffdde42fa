// MCP as lines of JSON: over standard input and output, or an accepted Unix socket.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "mcp/connection.h"

namespace transport {

// The contents of a client's first line that introduces the client instead of being a message.
struct Introduction {
    std::string answer = {};               // a line, without its newline
    std::filesystem::path directory = {};  // the client's working directory
    std::int64_t first_question = 0;       // id of our first request to it
    std::string agent = {};                // its name; may be empty
    bool lost_session = false;             // see tools::Caller
};
// Returns nothing for a line that is an ordinary message.
using Introduce = std::function<std::optional<Introduction>(std::string_view line)>;

struct LineOptions {
    std::size_t max_line = 16 << 20;
    // Time for calls to finish after the client closed its side, and then for output to be written.
    std::chrono::milliseconds grace{1000};
    Introduce introduce = {};
};

// One client on a pair of descriptors, which it owns. Keeps itself alive until the client disconnects.
class LineClient final : public mcp::Peer,
                         public mcp::ResponseSink,
                         public std::enable_shared_from_this<LineClient> {
public:
    // `first_bytes` were read already. `closed` is called once, from the loop.
    static std::shared_ptr<LineClient> start(mcp::Server& server, int in, int out, std::string first_bytes,
                                             LineOptions options, tools::Caller caller,
                                             std::function<void()> closed);

    // Ends the client's calls, sends the queued bytes and closes.
    void close();

    void send(std::string message) override;
    void notify(std::string message) override { send(std::move(message)); }
    void respond(std::string message, int http_status) override;

private:
    using ErrorCode = boost::system::error_code;

    LineClient(mcp::Server& server, int in, int out, LineOptions options, tools::Caller caller,
               std::function<void()> closed);

    void read();
    void take_lines();
    void take_line(std::string_view line);
    bool take_introduction(std::string_view line);
    void refuse_long_line();
    void write();
    void end_when_done();
    void refuse_calls();
    void finish();

    mcp::Server& server_;
    LineOptions options_;
    boost::asio::posix::stream_descriptor in_, out_;
    boost::asio::steady_timer grace_;
    std::string incoming_;
    std::size_t searched_ = 0;  // no newline before this place
    bool skipping_ = false;     // inside a line that is too long
    bool reading_ = false, ended_ = false, finished_ = false, dropped_ = false;
    std::string outgoing_, writing_;
    std::function<void()> closed_;
    std::unique_ptr<mcp::Connection> connection_;
};

}  // namespace transport
