#include "daemon/shim.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/resident.h"

namespace daemons {
namespace {

constexpr std::size_t kReadSize = 32 << 10;
// A side whose output waits on the other one is not read from.
constexpr std::size_t kPauseAt = 256 << 10;
constexpr std::size_t kKeptCapacity = 64 << 10;
// A longer message that its daemon never read gets an error instead of another daemon.
constexpr std::size_t kLongestRepeated = 64 << 10;

void shrink(std::string& text) {
    text.clear();
    if (text.capacity() > kKeptCapacity) std::string().swap(text);
}

// Like read(2), past interruptions: -1 with EAGAIN when there is nothing yet.
ssize_t read_some(int descriptor, char* buffer, std::size_t size) {
    ssize_t count;
    do count = ::read(descriptor, buffer, size);
    while (count < 0 && errno == EINTR);
    return count;
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

void LineBuffer::clear() { shrink(kept_); }

void Outbox::clear() {
    shrink(bytes_);
    written_ = 0;
}

bool Outbox::flush(int descriptor) {
    while (written_ < bytes_.size()) {
        ssize_t count = ::write(descriptor, bytes_.data() + written_, bytes_.size() - written_);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return would_block();
        written_ += static_cast<std::size_t>(count);
    }
    clear();
    return true;
}

Shim::Shim(LinkOptions options, Descriptor daemon, int input, int output)
    : options_(std::move(options)), input_(input), output_(output) {
    set_daemon(std::move(daemon));
}

void Shim::set_daemon(Descriptor daemon) {
    daemon_ = std::move(daemon);
    daemon_deaf_ = false;
    daemon_lines_.reset();
    ::fcntl(daemon_.get(), F_SETFL, ::fcntl(daemon_.get(), F_GETFL) | O_NONBLOCK);
    // Connecting takes far more of the program than what follows.
    release_program_pages();
}

void Shim::run() {
    while (!output_ended_) {
        bool connected = daemon_.get() >= 0;
        if (input_ended_ && !connected && to_client_.size() == 0) return;
        bool hear_client = !input_ended_ && to_daemon_.size() < kPauseAt && to_client_.size() < kPauseAt;
        bool hear_daemon = connected && to_client_.size() < kPauseAt;
        short daemon_events =
            static_cast<short>((hear_daemon ? POLLIN : 0) | (to_daemon_.size() > 0 ? POLLOUT : 0));
        pollfd waiting[] = {{connected && daemon_events != 0 ? daemon_.get() : -1, daemon_events, 0},
                            {hear_client ? input_ : -1, POLLIN, 0},
                            {to_client_.size() > 0 ? output_ : -1, POLLOUT, 0}};
        if (::poll(waiting, 3, -1) < 0) continue;
        if (waiting[2].revents != 0) output_ended_ = !to_client_.flush(output_);
        // The daemon's end comes before the client's next word, which is for its successor.
        if (waiting[0].revents & (POLLIN | POLLHUP | POLLERR) && hear_daemon) take_from_daemon();
        if (daemon_.get() >= 0 && to_daemon_.size() > 0 && !to_daemon_.flush(daemon_.get())) {
            // What it said before it went is still to be read.
            daemon_deaf_ = true;
            to_daemon_.clear();
        }
        if (waiting[1].revents != 0) take_from_client();
        if (input_ended_ && daemon_.get() >= 0 && to_daemon_.size() == 0) ::shutdown(daemon_.get(), SHUT_WR);
    }
}

void Shim::take_from_client() {
    char buffer[kReadSize];
    ssize_t count = read_some(input_, buffer, sizeof buffer);
    if (count < 0 && would_block()) return;
    if (count <= 0) return end_input();
    client_lines_.add(
        {buffer, static_cast<std::size_t>(count)},
        [this](std::string_view line, LineBuffer::Piece piece) { take_client_line(line, piece); });
}

// A last line need not have its newline.
void Shim::end_input() {
    std::string last(client_lines_.rest());
    client_lines_.reset();
    if (!last.empty()) take_client_line(last, LineBuffer::Piece::Line);
    input_ended_ = true;
}

void Shim::take_client_line(std::string_view line, LineBuffer::Piece piece) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    bool connected = daemon_.get() >= 0;
    bool whole = piece == LineBuffer::Piece::Line;
    if (!connected && (!whole || has_request(line))) connected = ensure_daemon();
    if (whole) conversation_.sent(line);
    if (!connected) {
        if (!failure_.empty()) to_client_.add(conversation_.fail(failure_));
        return;
    }
    last_line_ = whole && line.size() <= kLongestRepeated ? line : std::string_view();
    if (daemon_deaf_) return;
    to_daemon_.add(line);
    if (whole) to_daemon_.add("\n");
}

void Shim::take_from_daemon() {
    char buffer[kReadSize];
    ssize_t count = read_some(daemon_.get(), buffer, sizeof buffer);
    if (count < 0 && would_block()) return;
    if (count <= 0) return lose_daemon(count < 0 && errno == ECONNRESET ? Unread::Yes : Unread::No);
    daemon_lines_.add({buffer, static_cast<std::size_t>(count)},
                      [this](std::string_view line, LineBuffer::Piece piece) {
                          bool whole = piece == LineBuffer::Piece::Line;
                          if (whole && !conversation_.received(line)) return;
                          to_client_.add(line);
                          if (whole) to_client_.add("\n");
                      });
    if (to_client_.size() > 0) output_ended_ = !to_client_.flush(output_);
}

void Shim::lose_daemon(Unread unread) {
    // A daemon acts on whole lines. Where something stayed unread, the last line was not read to its end: it
    // had no effect, and can go to another daemon. Once; two daemons in a row are no accident.
    std::string line = std::exchange(last_line_, {});
    bool unseen = unread == Unread::Yes || daemon_deaf_ || to_daemon_.size() > 0;
    bool again = unseen && !input_ended_ && line != repeated_ && !conversation_.awaits_initialize() &&
                 conversation_.take_back(line);
    daemon_ = Descriptor();
    to_daemon_.clear();
    ++generation_;
    failure_.clear();
    to_client_.add(conversation_.lose());
    // Nothing more comes from a client that waits for its first answer.
    if (conversation_.awaits_initialize() && (input_ended_ || !ensure_daemon()))
        to_client_.add(conversation_.fail(failure_.empty() ? "The daemon has ended." : failure_));
    repeated_ = again ? line : std::string();
    if (again) take_client_line(line, LineBuffer::Piece::Line);
}

bool Shim::ensure_daemon() {
    // Errors for those who wait do not wait as well.
    if (to_client_.size() > 0) output_ended_ = !to_client_.flush(output_);
    auto connected = connect_to_daemon(options_, generation_);
    if (!connected) {
        failure_ = connected.error().to_string();
        return false;
    }
    failure_.clear();
    set_daemon(std::move(*connected));
    to_daemon_.add(conversation_.replay());
    return true;
}

}  // namespace daemons
