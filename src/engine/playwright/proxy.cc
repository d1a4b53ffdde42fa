#include "engine/playwright/proxy.h"

#include "engine/cdp/fields.h"
#include "engine/playwright/rules.h"

namespace playwright {
namespace {

using cdp::text_of;

// A helper stuck in endless code must not hold up new pages for long.
constexpr std::chrono::seconds kMaxHold{2};

json::object result(json::object value) { return {{"result", std::move(value)}}; }

json::object failure(int code, std::string message) {
    return {{"error", json::object{{"code", code}, {"message", std::move(message)}}}};
}

bool succeeded(const json::object& answer) { return answer.contains("result"); }

}  // namespace

std::shared_ptr<Proxy> Proxy::create(std::shared_ptr<cdp::Connection> connection, std::string context,
                                     Scope scope, Send send, std::function<void()> lost) {
    std::shared_ptr<Proxy> proxy(
        new Proxy(std::move(connection), std::move(context), scope, std::move(send), std::move(lost)));
    proxy->open_line();
    return proxy;
}

Proxy::Proxy(std::shared_ptr<cdp::Connection> connection, std::string context, Scope scope, Send send,
             std::function<void()> lost)
    : connection_(std::move(connection)),
      context_(std::move(context)),
      scope_(scope),
      send_(std::move(send)),
      lost_(std::move(lost)) {}

Proxy::~Proxy() { close_line(); }

void Proxy::open_line() {
    connection_->browser()->relay(
        "Target.attachToBrowserTarget", {},
        [weak = weak_from_this(), number = ++line_number_](const json::object& answer) {
            auto self = weak.lock();
            if (self && number == self->line_number_) self->take_line(answer);
        });
}

void Proxy::take_line(const json::object& answer) {
    const json::object* made = json::find_object(answer, "result");
    if (!made) {
        if (lost_) lost_();
        return;
    }
    line_ = connection_->session(text_of(*made, "sessionId"));
    line_->tap([weak = weak_from_this()](std::string_view method, const json::object& params) {
        if (auto self = weak.lock()) self->take_line_event(method, params);
    });
    line_closed_ = line_->on_closed([this] {
        if (lost_) lost_();
    });
    for (Request& request : std::exchange(waiting_, {})) carry_out(std::move(request));
}

void Proxy::close_line() {
    downloads_.clear();
    for (const std::filesystem::path& copy : std::exchange(copies_, {})) {
        std::error_code ignored;
        std::filesystem::remove(copy, ignored);
    }
    while (!held_.empty()) release(held_.begin()->first);
    line_closed_ = {};
    // The browser ends these with the line and sends no event.
    for (const auto& [session, attached] : std::exchange(sessions_, {})) connection_->detach(session);
    if (!line_) return;
    connection_->browser()->post("Target.detachFromTarget", {{"sessionId", line_->id()}});
    connection_->detach(line_->id());
    line_ = nullptr;
}

void Proxy::reset() {
    close_line();
    waiting_.clear();
    auto_attach_ = false;
    browser_sessions_.clear();
    infos_.clear();
    children_.clear();
    shown_.clear();
    awaited_.clear();
    windows_.clear();
    open_line();
}

void Proxy::take(const json::object& message) {
    Request request{.id = json::find_integer(message, "id").value_or(0),
                    .session = text_of(message, "sessionId"),
                    .method = text_of(message, "method")};
    if (const json::object* params = json::find_object(message, "params")) request.params = *params;
    if (!line_) return waiting_.push_back(std::move(request));
    carry_out(std::move(request));
}

void Proxy::carry_out(Request request) {
    bool to_browser = request.session.empty() || browser_sessions_.contains(request.session);
    if (!to_browser && !sessions_.contains(request.session))
        return reply(request, failure(-32001, "Session with given id not found."));
    // The helper cannot name another context than the session's own.
    if (request.params.erase("browserContextId"); to_browser && !context_.empty() &&
                                                  !request.method.starts_with("Target.") &&
                                                  request.method != "Browser.getVersion")
        request.params["browserContextId"] = context_;
    switch (rule_for(request.method, to_browser ? CommandScope::Browser : CommandScope::Target)) {
        case Rule::Refuse:
            return refuse(request, "it is not available to the code of a session");
        case Rule::Ignore:
            return reply(request, result({}));
        case Rule::Forward:
            return forward(request);
        case Rule::OwnTarget:
            if (!owns_target(request.params)) return refuse(request, "no such target in this session");
            return forward(request);
        case Rule::OwnWindow:
            if (!windows_.contains(json::find_integer(request.params, "windowId").value_or(-1)))
                return refuse(request, "no such window in this session");
            return forward(request);
        case Rule::OwnSession:
            if (!sessions_.contains(text_of(request.params, "sessionId")))
                return refuse(request, "no such session");
            return forward(request);
        case Rule::AutoAttach:
            return auto_attach(request);
        case Rule::Attach: {
            std::string target = text_of(request.params, "targetId");
            if (target.empty() || !owns_target(request.params))
                return refuse(request, "no such target in this session");
            return attach(target, request.session,
                          [weak = weak_from_this(), request](const json::object& answer) {
                              if (auto self = weak.lock()) self->reply(request, answer);
                          });
        }
        case Rule::AttachBrowser: {
            std::string session = "browser-" + std::to_string(++last_browser_session_);
            browser_sessions_.insert(session);
            return reply(request, result({{"sessionId", session}}));
        }
        case Rule::ListTargets:
            return list_targets(request);
        case Rule::CreateTarget:
            return create_target(request);
    }
}

bool Proxy::owns_target(const json::object& params) const {
    std::string target = text_of(params, "targetId");
    return !params.contains("targetId") || pages_.contains(target) || children_.contains(target);
}

cdp::Session& Proxy::line_of(const std::string& session) const {
    return sessions_.contains(session) ? *connection_->session(session) : *line_;
}

void Proxy::forward(const Request& request) {
    std::string target;
    if (auto it = sessions_.find(request.session); it != sessions_.end()) target = it->second.target;
    line_of(request.session)
        .relay(request.method, request.params,
               [weak = weak_from_this(), request](const json::object& answer) {
                   if (auto self = weak.lock()) self->take_answer(request, answer);
               });
    if (request.method == "Runtime.runIfWaitingForDebugger") release(target);
}

void Proxy::take_answer(const Request& request, const json::object& answer) {
    const json::object* value = json::find_object(answer, "result");
    if (value && request.method == "Browser.getWindowForTarget")
        windows_.insert(json::find_integer(*value, "windowId").value_or(-1));
    reply(request, answer);
}

// At browser level, the helper sees only the targets shown to it; the browser itself reports a target's own
// frames and workers.
void Proxy::auto_attach(const Request& request) {
    bool flat = json::find_bool(request.params, "flatten").value_or(false);
    bool wanted = json::find_bool(request.params, "autoAttach").value_or(false);
    if (wanted && !flat) return refuse(request, "sessions must be flat");
    if (sessions_.contains(request.session)) return forward(request);
    auto_attach_ = wanted;
    show_unseen([weak = weak_from_this(), request] {
        if (auto self = weak.lock()) self->reply(request, result({}));
    });
}

void Proxy::show_page(const std::string& target) {
    pages_.insert(target);
    if (line_) show_unseen({});
}

void Proxy::hide_page(const std::string& target) {
    pages_.erase(target);
    shown_.erase(target);
    release(target);
    std::vector<std::string> attached;
    for (const auto& [session, each] : sessions_) {
        if (each.target == target) attached.push_back(session);
    }
    for (const std::string& session : attached) {
        emit(sessions_.at(session).parent, "Target.detachedFromTarget",
             {{"sessionId", session}, {"targetId", target}});
        line_->post("Target.detachFromTarget", {{"sessionId", session}});
        drop(session);
    }
}

// Also drops the frames and workers reached through it.
void Proxy::drop(const std::string& session) {
    auto gone = sessions_.extract(session);
    if (!gone) return;
    children_.erase(gone.mapped().target);
    connection_->detach(session);
    std::vector<std::string> below;
    for (const auto& [child, each] : sessions_) {
        if (each.parent == session) below.push_back(child);
    }
    for (const std::string& child : below) drop(child);
}

// Calls `done` when all targets are attached or have failed to attach.
void Proxy::show_unseen(std::function<void()> done) {
    // Dropping the last reference calls `done`.
    std::shared_ptr<void> all(nullptr, [done = std::move(done)](void*) {
        if (done) done();
    });
    if (!auto_attach_) return;
    for (const std::string& target : pages_) {
        if (!shown_.insert(target).second) continue;
        attach(target, "", [weak = weak_from_this(), target, all](const json::object& answer) {
            auto self = weak.lock();
            if (!self) return;
            if (!succeeded(answer)) {
                self->pages_.erase(target);
                self->shown_.erase(target);
                self->release(target);
            }
            if (auto waiting = self->awaited_.extract(target)) waiting.mapped()();
        });
    }
}

bool Proxy::take_new_page(const std::shared_ptr<cdp::Session>& session, const json::object& target) {
    std::string id = text_of(target, "targetId");
    if (scope_ == Scope::OwnPages && !pages_.contains(text_of(target, "openerId"))) return false;
    pages_.insert(id);
    if (!line_ || !auto_attach_) return false;
    Held& held = held_[id];
    held.session = session;
    held.limit = std::make_unique<boost::asio::steady_timer>(session->loop(), kMaxHold);
    held.limit->async_wait([weak = weak_from_this(), id](boost::system::error_code error) {
        auto self = weak.lock();
        if (self && !error) self->release(id);
    });
    show_unseen({});
    return held_.contains(id);
}

void Proxy::release(const std::string& target) {
    if (auto held = held_.extract(target)) held.mapped().session->post("Runtime.runIfWaitingForDebugger");
}

void Proxy::create_target(const Request& request) {
    // The new page would belong to no session.
    if (scope_ == Scope::OwnPages)
        return refuse(request, "sessions share this browser context; open tabs with browser_tabs");
    json::object params{{"url", text_of(request.params, "url")}};
    if (!context_.empty()) params["browserContextId"] = context_;
    line_->relay("Target.createTarget", params,
                 [weak = weak_from_this(), request](const json::object& answer) {
                     auto self = weak.lock();
                     if (!self) return;
                     const json::object* made = json::find_object(answer, "result");
                     std::string target = made ? text_of(*made, "targetId") : "";
                     auto respond = [weak, request, answer] {
                         if (auto proxy = weak.lock()) proxy->reply(request, answer);
                     };
                     bool is_known = std::ranges::any_of(
                         self->sessions_, [&](const auto& each) { return each.second.target == target; });
                     // The helper expects the page's attach event before this answer.
                     if (!made || is_known) return respond();
                     self->awaited_[target] = respond;
                 });
}

void Proxy::list_targets(const Request& request) {
    line_->relay("Target.getTargets", {}, [weak = weak_from_this(), request](const json::object& answer) {
        auto self = weak.lock();
        if (!self) return;
        json::array own;
        const json::object* value = json::find_object(answer, "result");
        const json::array* all = value ? json::find_array(*value, "targetInfos") : nullptr;
        if (!all) return self->reply(request, answer);
        for (const json::value& info : *all) {
            const json::object* target = info.if_object();
            if (target && target->contains("targetId") && self->owns_target(*target)) own.push_back(info);
        }
        self->reply(request, result({{"targetInfos", std::move(own)}}));
    });
}

void Proxy::attach(const std::string& target, const std::string& parent, Done done) {
    line_->relay(
        "Target.attachToTarget", {{"targetId", target}, {"flatten", true}},
        [weak = weak_from_this(), target, parent, done = std::move(done)](const json::object& answer) {
            auto self = weak.lock();
            if (!self) return;
            if (const json::object* made = json::find_object(answer, "result")) {
                std::string session = text_of(*made, "sessionId");
                auto info = self->infos_.extract(session);
                self->enlist(session, {.parent = parent, .target = target});
                self->emit(parent, "Target.attachedToTarget",
                           {{"sessionId", session},
                            {"targetInfo", info ? std::move(info.mapped()) : json::object{}},
                            {"waitingForDebugger", self->held_.contains(target)}});
            }
            done(answer);
        });
}

void Proxy::enlist(const std::string& session, Attached attached) {
    sessions_[session] = std::move(attached);
    connection_->session(session)->tap(
        [weak = weak_from_this(), session](std::string_view method, const json::object& params) {
            if (auto self = weak.lock()) self->take_event(session, method, params);
        });
}

void Proxy::take_line_event(std::string_view method, const json::object& params) {
    std::string session = text_of(params, "sessionId");
    if (method == "Target.attachedToTarget") {
        if (const json::object* info = json::find_object(params, "targetInfo")) infos_[session] = *info;
    } else if (method == "Target.detachedFromTarget") {
        auto gone = sessions_.extract(session);
        if (!gone) return;
        const Attached& attached = gone.mapped();
        if (attached.parent.empty()) {
            pages_.erase(attached.target);
            shown_.erase(attached.target);
            held_.erase(attached.target);
        }
        emit(attached.parent, method, {{"sessionId", session}, {"targetId", attached.target}});
    }
}

void Proxy::take_event(const std::string& session, std::string_view method, const json::object& params) {
    std::string child = text_of(params, "sessionId");
    if (method == "Target.attachedToTarget") {
        const json::object* info = json::find_object(params, "targetInfo");
        std::string target = info ? text_of(*info, "targetId") : "";
        children_.insert(target);
        enlist(child, {.parent = session, .target = target});
    } else if (method == "Target.detachedFromTarget") {
        sessions_.erase(child);
    }
    emit(session, method, params);
}

void Proxy::reply(const Request& request, json::object answer) {
    json::object message{{"id", request.id}};
    for (std::string_view key : {"result", "error"}) {
        if (json::value* value = answer.if_contains(key)) message[key] = std::move(*value);
    }
    if (!request.session.empty()) message["sessionId"] = request.session;
    send_(message);
}

void Proxy::refuse(const Request& request, std::string why) {
    reply(request, failure(-32000, request.method + " is refused: " + std::move(why)));
}

void Proxy::emit(const std::string& session, std::string_view method, json::object params) {
    json::object message{{"method", method}, {"params", std::move(params)}};
    if (!session.empty()) message["sessionId"] = session;
    send_(message);
}

}  // namespace playwright
