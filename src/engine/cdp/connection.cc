#include "engine/cdp/connection.h"

#include <charconv>

#include "util/off_loop.h"
#include "util/shorten.h"
#include "util/strings.h"

namespace cdp {

Error Connection::error_of(Failure failure, std::string_view method) {
    const char* message = "Target page, context or browser has been closed";
    if (failure == Failure::Crashed) message = "Target crashed";
    if (failure == Failure::Unresponsive)
        message = "Target page, context or browser has been closed: the browser did not answer any more";
    return Error{.code = ErrorCode::BrowserCrashed, .message = message, .details = std::string(method)};
}

const json::object& Connection::answer_of(Failure failure) {
    // The browser's own error for an unknown session.
    static const json::object no_session{
        {"error", json::object{{"code", -32001}, {"message", "Session with given id not found."}}}};
    static const json::object crashed{
        {"error", json::object{{"code", -32000}, {"message", "Target crashed"}}}};
    return failure == Failure::Crashed ? crashed : no_session;
}

namespace {

// Limit for one text in an event.
constexpr std::size_t kMaxEventText = 1UL << 20;
// How often a silent browser is checked, at most.
constexpr std::chrono::milliseconds kSilenceInterval{1'000};
// Some commands are never answered, such as a script that waits for ever: they alone need no checks.
constexpr std::chrono::seconds kWatchedAfterSending{60};

// Reads the id at the start of an answer.
std::optional<std::int64_t> leading_id(std::string_view text) {
    constexpr std::string_view kStart = "{\"id\":";
    std::int64_t id = 0;
    if (!text.starts_with(kStart)) return std::nullopt;
    auto [end, error] = std::from_chars(text.data() + kStart.size(), text.data() + text.size(), id);
    return error == std::errc() ? std::optional(id) : std::nullopt;
}

Result<json::value> read_message(std::string_view text) {
    constexpr int kDepth = 512;
    auto parsed = json::parse(text, kDepth);
    return parsed ? std::move(parsed) : json::parse(well_formed(std::string(text)), kDepth);
}

// Cuts every long text in it: logged, thrown or dialog texts of a page may be as long as its memory.
void shorten_texts(json::value& value) {
    if (auto* text = value.if_string(); text && text->size() > kMaxEventText) {
        *text = shortened(std::string(*text), kMaxEventText);
    } else if (auto* list = value.if_array()) {
        for (json::value& each : *list) shorten_texts(each);
    } else if (auto* object = value.if_object()) {
        for (auto& member : *object) shorten_texts(member.value());
    }
}

// Pictures and our own scripts' messages are useless if cut. Answers are as long as the command asked for.
Result<json::value> read_long_message(std::string_view text) {
    Result<json::value> read = read_message(text);
    json::object* message = read ? read->if_object() : nullptr;
    if (!message) return read;
    auto method = json::find_string(*message, "method");
    if (method && *method != "Page.screencastFrame" && *method != "Runtime.bindingCalled") {
        if (json::value* params = message->if_contains("params")) shorten_texts(*params);
    }
    return read;
}

// Reads the session id at the end of a message. Page content cannot imitate it: its quotes are escaped.
std::string trailing_session(std::string_view text) {
    constexpr std::string_view kStart = "\"sessionId\":\"";
    std::size_t start = text.rfind(kStart);
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start + kStart.size());
    return std::string(text.substr(0, text.find('"')));
}

}  // namespace

Pending Session::begin(std::string_view method, const json::object& params) {
    auto connection = connection_.lock();
    bool closed = closed_ || !connection;
    if (closed || crashed_) {
        using enum Connection::Failure;
        Completion<Result<json::value>> answer(loop_);
        answer.set(Connection::error_of(closed ? Closed : Crashed, method));
        return Pending(std::move(answer));
    }
    ++sent_;
    return connection->begin(id_, method, params);
}

void Session::relay(std::string_view method, const json::object& params, Answer answer) {
    auto connection = connection_.lock();
    using enum Connection::Failure;
    if (closed_ || !connection) return answer(Connection::answer_of(Closed));
    if (crashed_) return answer(Connection::answer_of(Crashed));
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

std::shared_ptr<Connection> Connection::create(Loop& loop, std::unique_ptr<Transport> transport, Log& log,
                                               SilenceLimits limits) {
    std::shared_ptr<Connection> connection(new Connection(loop, std::move(transport), log, limits));
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

Connection::Connection(Loop& loop, std::unique_ptr<Transport> transport, Log& log, SilenceLimits limits)
    : loop_(loop),
      transport_(std::move(transport)),
      log_(log),
      silence_timer_(loop),
      silence_limits_(limits) {}

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

void Connection::Command::fail(Failure failure) const {
    if (relay) return relay(answer_of(failure));
    answer.set(error_of(failure, method));
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
    last_sent_ = Deadline::Clock::now();
    // A browser may take long to start.
    if (has_answered_ && !closed_ && !std::exchange(watching_silence_, true)) {
        silent_since_ = last_sent_;
        check_silence_later();
    }
    return Pending(std::move(answer));
}

void Connection::check_silence_later() {
    auto pause = std::min(kSilenceInterval, silence_limits_.before_asking);
    silence_timer_.start(pause, [this] { check_silence(); });
}

// Only the browser's main process answers the question: a page that is busy does not make it silent.
void Connection::check_silence() {
    auto keep = shared_from_this();
    auto now = Deadline::Clock::now();
    // After a stall of our own process, its messages may still wait to be read.
    bool stalled = now >= silence_timer_.expiry() + kSilenceInterval;
    bool arrives = std::exchange(incomplete_, transport_->incomplete()) != incomplete_;
    if (stalled || arrives || reading_) {
        silent_since_ = now;
        if (asked_) asked_ = now;
    }
    if (asked_ && now - *asked_ >= silence_limits_.after_asking) {
        unresponsive_ = true;
        transport_->close();
        return lose("it did not answer any more");
    }
    watching_silence_ = !commands_.empty() && (asked_ || now < last_sent_ + kWatchedAfterSending);
    if (!watching_silence_) return;
    if (!asked_ && now - silent_since_ >= silence_limits_.before_asking) {
        asked_ = now;
        auto sent = last_sent_;
        browser_->post("Browser.getVersion");
        last_sent_ = sent;
    }
    check_silence_later();
}

void Connection::trace(std::string_view direction, std::string_view message) {
    constexpr std::size_t kMaxShown = 2000;
    if (!log_.writes(LogLevel::Trace)) return;
    std::string_view shown = message.substr(0, kMaxShown);
    // Typed keys may be a secret that no log filter would recognize one by one.
    for (std::string_view typing :
         {"\"Input.dispatchKeyEvent\"", "\"Runtime.bindingCalled\"", "troupe.typeConfined"}) {
        if (shown.contains(typing)) shown = typing;
    }
    log_.trace(direction, {{"message", shown}});
}

void Connection::receive(std::string_view text) {
    has_answered_ = true;
    silent_since_ = Deadline::Clock::now();
    asked_.reset();
    if (reading_) {
        behind_.emplace_back(text);
    } else if (text.size() >= kLargeText) {
        receive_later(std::string(text));
    } else {
        take(text, read_message(text));
    }
}

void Connection::receive_later(std::string text) {
    transport_->pause();
    auto message = std::make_shared<const std::string>(std::move(text));
    reading_ = start(on_worker<json::value>(loop_, [message] { return read_long_message(*message); }),
                     [this, message](Result<json::value> read) { take_read(*message, std::move(read)); });
}

void Connection::take_read(std::string_view text, Result<json::value> read) {
    auto keep = shared_from_this();
    // Keep the Running alive: this function is called from its completion.
    auto ending = std::exchange(reading_, std::nullopt);
    take(text, std::move(read));
    while (!behind_.empty() && !reading_ && !closed_) {
        std::string next = std::move(behind_.front());
        behind_.pop_front();
        receive(next);
    }
    if (!reading_ && !closed_) transport_->resume();
}

void Connection::take(std::string_view text, Result<json::value> parsed) {
    trace("from the browser", text);
    const json::object* message = parsed ? parsed->if_object() : nullptr;
    if (!message) return take_unreadable(text);
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
                .details = std::string(json::find_string(*error, "data").value_or(""))});
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
        if (*method == "Inspector.targetCrashed") take_crash(*session);
        if (*method == "Inspector.targetReloadedAfterCrash") session->crashed_ = false;
        session->deliver(*method, *params);
    }
    if (*method == "Target.detachedFromTarget") {
        if (auto gone_id = json::find_string(*params, "sessionId")) detach(std::string(*gone_id));
    }
}

void Connection::take_crash(Session& session) {
    session.crashed_ = true;
    fail_commands(session.id(), Failure::Crashed);
}

void Connection::count_as_crashed(const std::string& id) {
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    auto keep = shared_from_this();
    auto session = it->second;
    take_crash(*session);
    session->deliver("Inspector.targetCrashed", {});
}

void Connection::fail_commands(const std::string& session, Failure failure) {
    std::vector<Command> unanswered;
    for (auto command = commands_.begin(); command != commands_.end();) {
        if (command->second.session == session) {
            unanswered.push_back(std::move(command->second));
            command = commands_.erase(command);
        } else {
            ++command;
        }
    }
    for (const Command& command : unanswered) command.fail(failure);
}

// A caller may depend on the message, so its call fails, else the session, else the whole connection.
void Connection::take_unreadable(std::string_view text) {
    log_.warn("unreadable message from the browser", {{"bytes", text.size()}});
    auto keep = shared_from_this();
    std::string why = "The browser's message could not be read.";
    if (auto it = commands_.find(leading_id(text).value_or(0)); it != commands_.end()) {
        Command command = std::move(it->second);
        commands_.erase(it);
        why = "The browser's answer to " + command.method + " could not be read.";
        if (command.relay)
            command.relay({{"error", json::object{{"code", -32700}, {"message", why}}}});
        else
            command.answer.set(Error{.code = ErrorCode::InternalError, .message = why});
    } else if (leading_id(text)) {
        // No caller waits for this answer any more.
    } else if (std::string session = trailing_session(text); sessions_.contains(session)) {
        browser_->post("Target.detachFromTarget", {{"sessionId", session}});
        detach(session);
    } else {
        transport_->close();
        lose(std::move(why));
    }
}

// The target is gone: its commands will never be answered.
void Connection::detach(const std::string& id) {
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    auto session = it->second;
    sessions_.erase(it);
    fail_commands(id, Failure::Closed);
    session->close();
}

void Connection::lose(std::string reason) {
    if (std::exchange(closed_, true)) return;
    silence_timer_.cancel();
    Failure failure = unresponsive_ ? Failure::Unresponsive : Failure::Closed;
    for (auto& [id, command] : std::exchange(commands_, {})) command.fail(failure);
    for (auto& [id, session] : std::exchange(sessions_, {})) session->close();
    if (browser_) browser_->close();
    if (auto callback = std::exchange(on_lost_, nullptr)) callback(reason);
}

}  // namespace cdp
