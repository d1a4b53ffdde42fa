// The process that a client starts: a pipe to the daemon that survives the daemon's end.
#pragma once

#include <optional>
#include <string>

#include "daemon/connect.h"
#include "daemon/conversation.h"

namespace daemons {

// Splits bytes into lines. Passes a line that is too long to keep on in pieces.
class LineBuffer {
public:
    enum class Piece { Line, Part };  // a Part keeps its newline, if it has one

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
            } else if (passing_ || kept_.size() > kMaxLineBytes) {
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
    // Frees large buffers.
    void clear();
    void reset() { clear(), passing_ = false; }

private:
    static constexpr std::size_t kMaxLineBytes = 64 << 20;
    std::string kept_;
    bool passing_ = false;
};

// A queue of bytes to write.
class Outbox {
public:
    void add(std::string_view bytes) { bytes_ += bytes; }
    std::size_t size() const { return bytes_.size() - written_; }
    void clear();
    // Writes as much as possible without blocking. Returns false when the other side is gone.
    bool flush(int descriptor);

private:
    std::string bytes_;
    std::size_t written_ = 0;
};

// How long a daemon may be silent while it has calls to answer. Then it is pinged, and without any sign of
// life its calls are answered with an error.
struct DaemonSilence {
    std::chrono::milliseconds before_ping{5'000};
    std::chrono::milliseconds after_ping{10'000};
};

// Runs a poll loop; needs no Loop and hardly any memory.
class Shim {
public:
    // `daemon` is connected already; `input` and `output` lead to the client and do not block.
    Shim(ConnectOptions options, Descriptor daemon, int input, int output, DaemonSilence silence = {});

    // Runs until the client disconnects.
    void run();

private:
    void take_from_client();
    void take_client_line(std::string_view line, LineBuffer::Piece piece);
    void take_from_daemon();
    void end_input();
    enum class Unread { No, Yes };  // whether the daemon left sent bytes unread
    void lose_daemon(Unread unread);
    bool ensure_daemon();
    void set_daemon(Descriptor daemon);
    using Clock = std::chrono::steady_clock;
    // When the daemon's silence is to be looked at; nothing while it owes no answer.
    std::optional<Clock::time_point> silence_due() const;
    void check_silence(Clock::time_point due);
    std::string silence_error(std::string_view of_call) const;

    ConnectOptions options_;
    Descriptor daemon_;
    int input_, output_;
    Conversation conversation_;
    LineBuffer client_lines_, daemon_lines_;
    Outbox to_client_, to_daemon_;
    std::int64_t generation_ = 0;
    std::string last_line_;  // the client's last line to this daemon; empty when it is long
    std::string repeated_;   // the line that was sent to two daemons
    std::string failure_;    // why there is no daemon
    bool input_ended_ = false, output_ended_ = false, daemon_deaf_ = false;
    DaemonSilence silence_;
    Clock::time_point silent_since_ = Clock::now();  // its last bytes, or the first call after them
    std::optional<Clock::time_point> pinged_;        // no bytes since
    bool frozen_ = false;                            // its calls were given up, and the ping has no answer
};

// Command lines for internal use only: the program starts itself with them.
inline constexpr std::string_view kShimCommand = "internal-shim";  // socket lock log, the client's arguments
inline constexpr std::string_view kDaemonCommand = "internal-daemon";  // socket, the client's arguments
inline constexpr std::string_view kAloneCommand = "internal-alone";    // the client's arguments

// Replaces this process by the shim of these paths: a fresh program, without the memory used to read the
// configuration. Returns only on failure.
Error become_shim(const DaemonPaths& paths, char** arguments);
// Runs the shim in the new program: `arguments` as become_shim made them.
int run_shim(std::vector<std::string> arguments, std::string version);

}  // namespace daemons
