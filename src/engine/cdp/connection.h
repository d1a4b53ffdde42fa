// Chromium's DevTools protocol: commands, answers and events over one pipe or socket.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "util/async.h"
#include "util/json.h"
#include "util/log.h"
#include "util/timer.h"

namespace cdp {

class Connection;

// Transports bytes to and from the browser. Calls back on the main loop, never from inside `send`.
class Transport {
public:
    virtual ~Transport() = default;
    virtual void start(std::function<void(std::string_view message)> on_message,
                       std::function<void(std::string reason)> on_closed) = 0;
    virtual void send(std::string message) = 0;
    virtual void close() = 0;
    // Stops delivering messages until resumed, if the transport supports it.
    virtual void pause() {}
    virtual void resume() {}
    // Bytes of a message that has not arrived whole, as far as the transport can tell.
    virtual std::size_t incomplete() const { return 0; }
};

// A command that was sent. `co_await` gives its Result; dropping it ignores the answer.
class Pending {
public:
    explicit Pending(Completion<Result<json::value>> answer) : answer_(std::move(answer)) {}
    auto operator co_await() const { return answer_.operator co_await(); }

private:
    Completion<Result<json::value>> answer_;
};

// Ends a subscription to an event when dropped.
class Subscription {
public:
    Subscription() = default;
    explicit Subscription(std::function<void()> end) : end_(std::move(end)) {}
    Subscription(Subscription&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
    Subscription& operator=(Subscription&& other) noexcept {
        if (this != &other) {
            if (end_) end_();
            end_ = std::exchange(other.end_, nullptr);
        }
        return *this;
    }
    ~Subscription() {
        if (end_) end_();
    }

private:
    std::function<void()> end_;
};

// The CDP session of one target, or of the browser itself. Lives on the main loop.
class Session : public std::enable_shared_from_this<Session> {
public:
    using Handler = std::function<void(const json::object& params)>;

    Session(std::weak_ptr<Connection> connection, Loop& loop, std::string id)
        : connection_(std::move(connection)), loop_(loop), id_(std::move(id)) {}

    const std::string& id() const { return id_; }
    Loop& loop() const { return loop_; }
    bool is_closed() const { return closed_; }
    // Whether its target's process died and the target was not reloaded since.
    bool is_crashed() const { return crashed_; }
    // The number of commands sent.
    std::uint64_t sent() const { return sent_; }

    // Sends at once; await the Pending for the answer. Commands of one session are carried out in order.
    // Pending commands fail when the target ends or crashes, and so does every later one.
    Pending begin(std::string_view method, const json::object& params = {});
    // Sends when awaited and returns the result.
    Task<json::value> send(std::string method, json::object params = {});
    // Sends and calls back with the whole answer, with its "result" or "error", in the order of the browser's
    // messages.
    using Answer = std::function<void(const json::object& answer)>;
    void relay(std::string_view method, const json::object& params, Answer answer);
    // Sends and ignores the answer.
    void post(std::string_view method, const json::object& params = {}) { begin(method, params); }

    // Calls `handler` for every event of that name until the Subscription is dropped.
    [[nodiscard]] Subscription on(std::string method, Handler handler);
    // Called for every event, before the handlers of its name; only one tap at a time.
    using Tap = std::function<void(std::string_view method, const json::object& params)>;
    void tap(Tap tap) { tap_ = std::move(tap); }
    // Called once when the target or the connection is gone.
    [[nodiscard]] Subscription on_closed(std::function<void()> handler);

private:
    friend class Connection;

    void deliver(std::string_view method, const json::object& params);
    void close();

    std::weak_ptr<Connection> connection_;
    Loop& loop_;
    std::string id_;
    bool closed_ = false, crashed_ = false;
    std::uint64_t sent_ = 0;
    Tap tap_;
    std::unordered_map<std::string, std::list<std::shared_ptr<Handler>>> handlers_;
    std::list<std::shared_ptr<std::function<void()>>> on_closed_;
};

// How long a browser may be silent while a command waits. Then it is asked for a sign of life, and lost
// without one.
struct SilenceLimits {
    std::chrono::milliseconds before_asking{2'000};
    std::chrono::milliseconds after_asking{8'000};
};

// Routes answers to commands and events to sessions. Owned by the owner of the browser; sessions only refer
// to it. A browser that has answered before and then stops answering counts as lost.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    static std::shared_ptr<Connection> create(Loop& loop, std::unique_ptr<Transport> transport, Log& log,
                                              SilenceLimits limits = {});
    ~Connection();

    const std::shared_ptr<Session>& browser() const { return browser_; }
    // The session of an attached target; created on first use.
    std::shared_ptr<Session> session(const std::string& id);
    // Ends our side of a session, e.g. when its target is gone.
    void detach(const std::string& session);
    bool is_closed() const { return closed_; }
    // Whether it was lost because the browser stopped answering.
    bool is_unresponsive() const { return unresponsive_; }
    // Treats a target that does not answer as if its process had died: its commands fail, and its session
    // reports Inspector.targetCrashed.
    void count_as_crashed(const std::string& session);
    // Called once, with the reason, when the browser is gone.
    void on_lost(std::function<void(const std::string& reason)> callback) { on_lost_ = std::move(callback); }
    void close();

private:
    friend class Session;
    // Why a command gets no answer.
    enum class Failure { Closed, Crashed, Unresponsive };
    static Error error_of(Failure failure, std::string_view method);
    static const json::object& answer_of(Failure failure);
    struct Command {
        std::string method;
        std::string session;
        Completion<Result<json::value>> answer;
        Session::Answer relay = {};  // in place of `answer`

        void fail(Failure failure) const;
    };

    Connection(Loop& loop, std::unique_ptr<Transport> transport, Log& log, SilenceLimits limits);
    Pending begin(const std::string& session, std::string_view method, const json::object& params,
                  Session::Answer relay = {});
    void trace(std::string_view direction, std::string_view message);
    void receive(std::string_view message);
    // Parses a long message on a worker; later messages wait.
    void receive_later(std::string message);
    void take_read(std::string_view message, Result<json::value> read);
    void take(std::string_view message, Result<json::value> read);
    // The browser queues commands to a crashed target for a process that may replace it.
    void take_crash(Session& session);
    void fail_commands(const std::string& session, Failure failure);
    void take_unreadable(std::string_view message);
    void check_silence_later();
    void check_silence();
    void lose(std::string reason);

    Loop& loop_;
    std::unique_ptr<Transport> transport_;
    Log& log_;
    std::shared_ptr<Session> browser_;
    std::unordered_map<std::string, std::shared_ptr<Session>> sessions_;
    std::unordered_map<std::int64_t, Command> commands_;
    std::int64_t last_id_ = 0;
    std::optional<Running> reading_;  // parses a long message
    std::deque<std::string> behind_;  // messages received meanwhile
    bool closed_ = false, unresponsive_ = false;
    std::function<void(const std::string& reason)> on_lost_;
    // Runs only while a command that was sent lately waits.
    Timer silence_timer_;
    SilenceLimits silence_limits_;
    bool watching_silence_ = false;
    bool has_answered_ = false;                      // at all
    Deadline::Clock::time_point last_sent_ = {};     // without our questions for a sign of life
    Deadline::Clock::time_point silent_since_ = {};  // the last message, or the first command after a pause
    std::optional<Deadline::Clock::time_point> asked_ = {};  // for a sign of life, with no message since
    std::size_t incomplete_ = 0;                             // of the transport, when last checked
};

}  // namespace cdp
