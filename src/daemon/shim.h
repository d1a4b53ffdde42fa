// The process that a client starts: a pipe to the daemon that survives the daemon's end.
#pragma once

#include <string>

#include "daemon/conversation.h"
#include "daemon/link.h"

namespace daemons {

// Bytes in, lines out. A line too long to keep goes through in pieces.
class LineBuffer {
public:
    enum class Piece { Line, Part };  // a Part keeps its newline, should it have one

    template <class Take>
    void add(std::string_view bytes, Take take) {
        while (!bytes.empty()) {
            std::size_t end = bytes.find('\n');
            bool complete = end != std::string_view::npos;
            std::string_view piece = bytes.substr(0, complete ? end : bytes.size());
            bytes.remove_prefix(piece.size() + (complete ? 1 : 0));
            kept_ += piece;
            if (complete && !passing_) {
                take(std::string_view(kept_), Piece::Line);
            } else if (passing_ || kept_.size() > kLongestLine) {
                if (complete) kept_ += '\n';
                take(std::string_view(kept_), Piece::Part);
                passing_ = !complete;
            } else {
                return;
            }
            clear();
        }
    }
    std::string_view rest() const { return kept_; }
    // Large memory is given back.
    void clear();
    void reset() { clear(), passing_ = false; }

private:
    static constexpr std::size_t kLongestLine = 64 << 20;
    std::string kept_;
    bool passing_ = false;
};

// Bytes that wait to be written.
class Outbox {
public:
    void add(std::string_view bytes) { bytes_ += bytes; }
    std::size_t size() const { return bytes_.size() - written_; }
    void clear();
    // Writes what can be written without waiting. False when the other side is gone.
    bool flush(int descriptor);

private:
    std::string bytes_;
    std::size_t written_ = 0;
};

// Blocks in poll; needs no loop and hardly any memory.
class Shim {
public:
    // `daemon` is connected already; `input` and `output` lead to the client and do not block.
    Shim(LinkOptions options, Descriptor daemon, int input, int output);

    // Until the client is gone.
    void run();

private:
    void take_from_client();
    void take_client_line(std::string_view line, LineBuffer::Piece piece);
    void take_from_daemon();
    void end_input();
    enum class Unread { No, Yes };  // whether the daemon left something that it was sent
    void lose_daemon(Unread unread);
    bool ensure_daemon();
    void set_daemon(Descriptor daemon);

    LinkOptions options_;
    Descriptor daemon_;
    int input_, output_;
    Conversation conversation_;
    LineBuffer client_lines_, daemon_lines_;
    Outbox to_client_, to_daemon_;
    std::int64_t generation_ = 0;
    std::string last_line_;  // of the client's, sent to this daemon; empty when it is long
    std::string repeated_;   // the line that two daemons were sent
    std::string failure_;    // why there is no daemon
    bool input_ended_ = false, output_ended_ = false, daemon_deaf_ = false;
};

// The command lines that a program gives itself. None is for anybody to type.
inline constexpr std::string_view kShimCommand = "internal-shim";  // socket lock log, the client's arguments
inline constexpr std::string_view kDaemonCommand = "internal-daemon";  // socket, the client's arguments
inline constexpr std::string_view kAloneCommand = "internal-alone";    // the client's arguments

// Becomes the shim of a place: the program anew, without the memory that reading the configuration took.
// Comes back only when that fails.
Error become_shim(const Place& place, char** arguments);
// What that runs: `arguments` as become_shim made them.
int run_shim(std::vector<std::string> arguments, std::string version);

}  // namespace daemons
