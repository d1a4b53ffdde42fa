// Chromium's DevTools protocol: commands, answers and events over one pipe or socket.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "util/async.h"
#include "util/json.h"
#include "util/log.h"

namespace cdp {

class Connection;

// The bytes' way to the browser. Calls back on the main loop, never from inside `send`.
class Transport {
public:
    virtual ~Transport() = default;
    virtual void start(std::function<void(std::string_view message)> on_message,
                       std::function<void(std::string reason)> on_closed) = 0;
    virtual void send(std::string message) = 0;
    virtual void close() = 0;
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

// One target's line to the browser, or the browser's own. Lives on the main loop.
class Session : public std::enable_shared_from_this<Session> {
public:
    using Handler = std::function<void(const json::object& params)>;

    Session(std::weak_ptr<Connection> connection, Loop& loop, std::string id)
        : connection_(std::move(connection)), loop_(loop), id_(std::move(id)) {}

    const std::string& id() const { return id_; }
    Loop& loop() const { return loop_; }
    bool is_closed() const { return closed_; }
    // Its target's process died and nobody has reloaded the target since.
    bool is_crashed() const { return crashed_; }
    // How many commands were sent.
    std::uint64_t sent() const { return sent_; }

    // Sends at once; await the Pending for the answer. Commands of one session are carried out in order.
    // Those under way when the target ends or crashes fail with it, and so does every later one.
    Pending begin(std::string_view method, const json::object& params = {});
    // Sends when awaited and gives the result.
    Task<json::value> send(std::string method, json::object params = {});
    // Sends and hands over the whole answer, with its "result" or "error", in the order of the browser's
    // messages.
    using Answer = std::function<void(const json::object& answer)>;
    void relay(std::string_view method, const json::object& params, Answer answer);
    // Sends and ignores the answer.
    void post(std::string_view method, const json::object& params = {}) { begin(method, params); }

    // Calls `handler` for every event of that name until the Subscription is dropped.
    [[nodiscard]] Subscription on(std::string method, Handler handler);
    // Called for every event, before those who asked for it by name; one at a time.
    using Tap = std::function<void(std::string_view method, const json::object& params)>;
    void tap(Tap tap) { tap_ = std::move(tap); }
    // Called once when the target or the connection goes.
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

// Routes answers to commands and events to sessions. Held by whoever owns the browser; sessions only refer to
// it.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    static std::shared_ptr<Connection> create(Loop& loop, std::unique_ptr<Transport> transport, Log& log);
    ~Connection();

    const std::shared_ptr<Session>& browser() const { return browser_; }
    // The session of an attached target; made on first mention.
    std::shared_ptr<Session> session(const std::string& id);
    // Ends our side of a session, as when its target goes.
    void detach(const std::string& session);
    bool is_closed() const { return closed_; }
    // Called once, with the reason, when the browser is gone.
    void on_lost(std::function<void(const std::string& reason)> callback) { on_lost_ = std::move(callback); }
    void close();

private:
    friend class Session;
    // Why no answer will come.
    enum class Failure { Closed, Crashed };
    static Error error_of(Failure failure, std::string_view method);
    static const json::object& answer_of(Failure failure);
    struct Command {
        std::string method;
        std::string session;
        Completion<Result<json::value>> answer;
        Session::Answer relay = {};  // in place of `answer`

        void fail(Failure failure) const;
    };

    Connection(Loop& loop, std::unique_ptr<Transport> transport, Log& log);
    Pending begin(const std::string& session, std::string_view method, const json::object& params,
                  Session::Answer relay = {});
    void trace(std::string_view direction, std::string_view message);
    void receive(std::string_view message);
    // The browser keeps commands to a crashed target for the process that may come after.
    void take_crash(Session& session);
    void fail_commands(const std::string& session, Failure failure);
    void take_unreadable(std::string_view message);
    void lose(std::string reason);

    Loop& loop_;
    std::unique_ptr<Transport> transport_;
    Log& log_;
    std::shared_ptr<Session> browser_;
    std::unordered_map<std::string, std::shared_ptr<Session>> sessions_;
    std::unordered_map<std::int64_t, Command> commands_;
    std::int64_t last_id_ = 0;
    bool closed_ = false;
    std::function<void(const std::string& reason)> on_lost_;
};

}  // namespace cdp
