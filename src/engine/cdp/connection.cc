#include "engine/cdp/connection.h"

namespace cdp {
namespace {

Error gone(std::string_view what) {
    return Error{.code = ErrorCode::BrowserCrashed,
                 .message = "Target page, context or browser has been closed",
                 .details = std::string(what)};
}

// What the browser itself says about a session that it does not have.
const json::object kNoSession{
    {"error", json::object{{"code", -32001}, {"message", "Session with given id not found."}}}};

}  // namespace

Pending Session::begin(std::string_view method, const json::object& params) {
    auto connection = connection_.lock();
    if (closed_ || !connection) {
        Completion<Result<json::value>> answer(loop_);
        answer.set(gone(method));
        return Pending(std::move(answer));
    }
    ++sent_;
    return connection->begin(id_, method, params);
}

void Session::relay(std::string_view method, const json::object& params, Answer answer) {
    auto connection = connection_.lock();
    if (closed_ || !connection) return answer(kNoSession);
    ++sent_;
    connection->begin(id_, method, params, std::move(answer));
}

Task<json::value> Session::send(std::string method, json::object params) {
    Result<json::value> result = co_await begin(method, params);
    co_return std::move(result);
}

Subscription Session::on(std::string method, Handler handler) {
    auto& list = handlers_[std::move(method)];
    auto shared = std::make_shared<Handler>(std::move(handler));
    list.push_back(shared);
    return Subscription([weak = weak_from_this(), &list, shared] {
        *shared = nullptr;
        // The lists live as long as their session does.
        if (auto self = weak.lock()) list.remove(shared);
    });
}

Subscription Session::on_closed(std::function<void()> handler) {
    auto shared = std::make_shared<std::function<void()>>(std::move(handler));
    on_closed_.push_back(shared);
    return Subscription([weak = weak_from_this(), shared] {
        *shared = nullptr;
        if (auto self = weak.lock()) self->on_closed_.remove(shared);
    });
}

void Session::deliver(std::string_view method, const json::object& params) {
    if (auto tap = tap_) tap(method, params);
    auto it = handlers_.find(std::string(method));
    if (it == handlers_.end()) return;
    auto self = shared_from_this();
    // A copy: handlers subscribe and unsubscribe as they run.
    auto list = it->second;
    for (const auto& handler : list) {
        if (*handler) (*handler)(params);
    }
}

void Session::close() {
    if (std::exchange(closed_, true)) return;
    auto self = shared_from_this();
    auto list = on_closed_;
    for (const auto& handler : list) {
        if (*handler) (*handler)();
    }
}

std::shared_ptr<Connection> Connection::create(Loop& loop, std::unique_ptr<Transport> transport, Log& log) {
    std::shared_ptr<Connection> connection(new Connection(loop, std::move(transport), log));
    std::weak_ptr<Connection> weak = connection;
    connection->browser_ = std::make_shared<Session>(weak, loop, "");
    connection->transport_->start(
        [weak](std::string_view message) {
            if (auto self = weak.lock()) self->receive(message);
        },
        [weak](std::string reason) {
            if (auto self = weak.lock()) self->lose(std::move(reason));
        });
    return connection;
}

Connection::Connection(Loop& loop, std::unique_ptr<Transport> transport, Log& log)
    : loop_(loop), transport_(std::move(transport)), log_(log) {}

Connection::~Connection() {
    on_lost_ = nullptr;
    lose("closed");
}

std::shared_ptr<Session> Connection::session(const std::string& id) {
    auto& place = sessions_[id];
    if (!place) place = std::make_shared<Session>(weak_from_this(), loop_, id);
    return place;
}

void Connection::close() {
    transport_->close();
    lose("closed");
}

void Connection::Command::fail() const {
    if (relay) return relay(kNoSession);
    answer.set(gone(method));
}

Pending Connection::begin(const std::string& session, std::string_view method, const json::object& params,
                          Session::Answer relay) {
    std::int64_t id = ++last_id_;
    std::string message = "{\"id\":" + std::to_string(id) + ",\"method\":\"" + std::string(method) + "\"";
    if (!params.empty()) message += ",\"params\":" + json::serialize(params);
    if (!session.empty()) message += ",\"sessionId\":\"" + session + "\"";
    message += '}';
    trace("to the browser", message);
    Completion<Result<json::value>> answer(loop_);
    commands_.emplace(id, Command{std::string(method), session, answer, std::move(relay)});
    transport_->send(std::move(message));
    return Pending(std::move(answer));
}

void Connection::trace(std::string_view direction, std::string_view message) {
    constexpr std::size_t kMost = 2000;
    if (!log_.writes(LogLevel::Trace)) return;
    std::string_view shown = message.substr(0, kMost);
    // Key by key, what is typed may be a secret that no log would know again.
    for (std::string_view typing : {"\"Input.dispatchKeyEvent\"", "\"Runtime.bindingCalled\""}) {
        if (shown.contains(typing)) shown = typing;
    }
    log_.trace(direction, {{"message", shown}});
}

void Connection::receive(std::string_view text) {
    trace("from the browser", text);
    auto parsed = json::parse(text, 512);
    const json::object* message = parsed ? parsed->if_object() : nullptr;
    if (!message) {
        log_.warn("unreadable message from the browser", {{"bytes", text.size()}});
        return;
    }
    if (auto id = json::find_integer(*message, "id")) {
        auto it = commands_.find(*id);
        if (it == commands_.end()) return;
        Command command = std::move(it->second);
        commands_.erase(it);
        auto keep = shared_from_this();
        if (command.relay) return command.relay(*message);
        if (const json::object* error = json::find_object(*message, "error")) {
            command.answer.set(Error{
                .code = ErrorCode::InternalError,
                .message = "Protocol error (" + command.method +
                           "): " + std::string(json::find_string(*error, "message").value_or("unknown")),
                .details = json::serialize(*error)});
        } else {
            json::value* result = parsed->get_object().if_contains("result");
            command.answer.set(result ? std::move(*result) : json::value(json::object{}));
        }
        return;
    }
    auto method = json::find_string(*message, "method");
    if (!method) return;
    static const json::object kNoParams;
    const json::object* params = json::find_object(*message, "params");
    if (!params) params = &kNoParams;
    auto session_id = json::find_string(*message, "sessionId");
    auto keep = shared_from_this();
    if (!session_id || session_id->empty()) {
        browser_->deliver(*method, *params);
    } else if (auto it = sessions_.find(std::string(*session_id)); it != sessions_.end()) {
        auto session = it->second;
        session->deliver(*method, *params);
    }
    if (*method == "Target.detachedFromTarget") {
        if (auto gone_id = json::find_string(*params, "sessionId")) detach(std::string(*gone_id));
    }
}

// The target went: its commands will never be answered.
void Connection::detach(const std::string& id) {
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    auto session = it->second;
    sessions_.erase(it);
    std::vector<Command> unanswered;
    for (auto command = commands_.begin(); command != commands_.end();) {
        if (command->second.session == id) {
            unanswered.push_back(std::move(command->second));
            command = commands_.erase(command);
        } else {
            ++command;
        }
    }
    for (const Command& command : unanswered) command.fail();
    session->close();
}

void Connection::lose(std::string reason) {
    if (std::exchange(closed_, true)) return;
    for (auto& [id, command] : std::exchange(commands_, {})) command.fail();
    for (auto& [id, session] : std::exchange(sessions_, {})) session->close();
    if (browser_) browser_->close();
    if (auto callback = std::exchange(on_lost_, nullptr)) callback(reason);
}

}  // namespace cdp
