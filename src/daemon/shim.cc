#include "daemon/shim.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/memory.h"

namespace daemons {
namespace {

constexpr std::size_t kReadSize = 32 << 10;
// Stop reading from a side whose output to the other one is blocked.
constexpr std::size_t kPauseAt = 256 << 10;
constexpr std::size_t kKeptCapacity = 64 << 10;
// A wait that is longer than planned by this means that this process did not run.
constexpr std::chrono::seconds kStall{2};
// A longer message that its daemon never read gets an error and is not sent to another daemon.
constexpr std::size_t kMaxRepeatedBytes = 64 << 10;

void shrink(std::string& text) {
    text.clear();
    if (text.capacity() > kKeptCapacity) std::string().swap(text);
}

// Like read(2), but retries when interrupted; -1 with EAGAIN when there is nothing yet.
ssize_t read_some(int descriptor, char* buffer, std::size_t size) {
    ssize_t count;
    do count = ::read(descriptor, buffer, size);
    while (count < 0 && errno == EINTR);
    return count;
}

int milliseconds_until(std::chrono::steady_clock::time_point time) {
    auto span = std::chrono::ceil<std::chrono::milliseconds>(time - std::chrono::steady_clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(span.count(), 0));
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

Shim::Shim(ConnectOptions options, Descriptor daemon, int input, int output, DaemonSilence silence)
    : options_(std::move(options)), input_(input), output_(output), silence_(silence) {
    set_daemon(std::move(daemon));
}

void Shim::set_daemon(Descriptor daemon) {
    daemon_ = std::move(daemon);
    daemon_deaf_ = false;
    daemon_lines_.reset();
    pinged_.reset();
    frozen_ = false;
    silent_since_ = Clock::now();
    ::fcntl(daemon_.get(), F_SETFL, ::fcntl(daemon_.get(), F_GETFL) | O_NONBLOCK);
    // Connecting needs far more of the program than the rest.
    release_program_pages();
}

void Shim::run() {
    while (!output_ended_) {
        bool connected = daemon_.get() >= 0;
        if (input_ended_ && !connected && to_client_.size() == 0) return;
        // A frozen daemon gets no more calls, and the client still gets errors.
        bool hear_client =
            !input_ended_ && (frozen_ || to_daemon_.size() < kPauseAt) && to_client_.size() < kPauseAt;
        bool hear_daemon = connected && to_client_.size() < kPauseAt;
        if (!hear_daemon) silent_since_ = Clock::now();
        auto due = silence_due();
        short daemon_events =
            static_cast<short>((hear_daemon ? POLLIN : 0) | (to_daemon_.size() > 0 ? POLLOUT : 0));
        pollfd waiting[] = {{connected && daemon_events != 0 ? daemon_.get() : -1, daemon_events, 0},
                            {hear_client ? input_ : -1, POLLIN, 0},
                            {to_client_.size() > 0 ? output_ : -1, POLLOUT, 0}};
        if (::poll(waiting, 3, due ? milliseconds_until(*due) : -1) < 0) continue;
        if (due && waiting[0].revents == 0) check_silence(*due);
        if (waiting[2].revents != 0) output_ended_ = !to_client_.flush(output_);
        // Handle the daemon's end before the client's next line, which is for the next daemon.
        if (waiting[0].revents & (POLLIN | POLLHUP | POLLERR) && hear_daemon) take_from_daemon();
        if (daemon_.get() >= 0 && to_daemon_.size() > 0 && !to_daemon_.flush(daemon_.get())) {
            // Its last output still has to be read.
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

// The last line may lack its newline.
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
    bool owes_answer = conversation_.has_open_calls();
    if (whole && frozen_ && has_request(line)) {
        conversation_.sent(line);
        to_client_.add(conversation_.fail(silence_error("The call was not sent to it.")));
        return;
    }
    if (whole) conversation_.sent(line);
    if (!owes_answer) silent_since_ = Clock::now();
    if (!connected) {
        if (!failure_.empty()) to_client_.add(conversation_.fail(failure_));
        return;
    }
    last_line_ = whole && line.size() <= kMaxRepeatedBytes ? line : std::string_view();
    if (daemon_deaf_) return;
    to_daemon_.add(line);
    if (whole) to_daemon_.add("\n");
}

void Shim::take_from_daemon() {
    char buffer[kReadSize];
    ssize_t count = read_some(daemon_.get(), buffer, sizeof buffer);
    if (count < 0 && would_block()) return;
    if (count <= 0) return lose_daemon(count < 0 && errno == ECONNRESET ? Unread::Yes : Unread::No);
    silent_since_ = Clock::now();
    pinged_.reset();
    daemon_lines_.add({buffer, static_cast<std::size_t>(count)},
                      [this](std::string_view line, LineBuffer::Piece piece) {
                          bool whole = piece == LineBuffer::Piece::Line;
                          if (whole && !conversation_.received(line)) return;
                          to_client_.add(line);
                          if (whole) to_client_.add("\n");
                      });
    // Earlier bytes may be from before it froze.
    if (!conversation_.awaits_ping()) frozen_ = false;
    if (to_client_.size() > 0) output_ended_ = !to_client_.flush(output_);
}

void Shim::lose_daemon(Unread unread) {
    // A daemon acts on whole lines. If it left bytes unread, it did not read the last line to its end: the
    // line had no effect and can go to another daemon. Only once: two daemons in a row are no accident.
    std::string line = std::exchange(last_line_, {});
    bool unseen = unread == Unread::Yes || daemon_deaf_ || to_daemon_.size() > 0;
    bool again = unseen && !input_ended_ && line != repeated_ && !conversation_.awaits_initialize() &&
                 conversation_.take_back(line);
    daemon_ = Descriptor();
    frozen_ = false;
    to_daemon_.clear();
    ++generation_;
    failure_.clear();
    to_client_.add(conversation_.lose());
    // A client that waits for its first answer sends nothing more.
    if (conversation_.awaits_initialize() && (input_ended_ || !ensure_daemon()))
        to_client_.add(conversation_.fail(failure_.empty() ? "The daemon has ended." : failure_));
    repeated_ = again ? line : std::string();
    if (again) take_client_line(line, LineBuffer::Piece::Line);
}

std::optional<Shim::Clock::time_point> Shim::silence_due() const {
    if (daemon_.get() < 0 || frozen_ || input_ended_ || !conversation_.has_open_calls()) return std::nullopt;
    return pinged_ ? *pinged_ + silence_.after_ping : silent_since_ + silence_.before_ping;
}

void Shim::check_silence(Clock::time_point due) {
    auto now = Clock::now();
    if (now < due) return;
    // This process was stopped itself: the daemon may have been, too.
    if (now > due + kStall) {
        silent_since_ = now;
        if (pinged_) pinged_ = now;
    } else if (!pinged_) {
        pinged_ = now;
        to_daemon_.add(conversation_.ping());
    } else {
        frozen_ = true;
        auto lines = conversation_.give_up(silence_error("The call may or may not have had an effect."));
        to_client_.add(lines.to_client);
        // Its answer shows that the daemon has read the cancellations as well.
        to_daemon_.add(lines.to_daemon + conversation_.ping());
    }
}

std::string Shim::silence_error(std::string_view of_call) const {
    ucred peer{};
    socklen_t size = sizeof peer;
    bool known = ::getsockopt(daemon_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    std::string id = known ? std::to_string(peer.pid) : "its process id";
    return "The daemon (process " + id + ") does not answer: it is stopped, or hangs. " +
           std::string(of_call) + " Wake it with `kill -CONT " + id +
           "` and call again, or end it with `kill -KILL " + id +
           "`: the next call then starts a new daemon, with a fresh browser.";
}

bool Shim::ensure_daemon() {
    // Sends pending errors before connecting, which may take long.
    if (to_client_.size() > 0) output_ended_ = !to_client_.flush(output_);
    auto connected =
        connect_to_daemon(options_, {.daemons = generation_, .had_session = conversation_.has_called()});
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
