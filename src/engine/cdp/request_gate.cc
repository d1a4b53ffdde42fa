#include "engine/cdp/request_gate.h"

#include "engine/cdp/fields.h"
#include "util/strings.h"

namespace cdp {
namespace {

constexpr std::size_t kMaxAnswered = 1000;

// "https://example.com:8443" of a URL.
std::string_view origin_of(std::string_view url) {
    std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return url;
    return url.substr(0, url.find_first_of("/?#", scheme + 3));
}

}  // namespace

RequestGate::RequestGate(MayRequest may_request, const json::value& credentials)
    : may_request_(std::move(may_request)) {
    if (const json::object* one = credentials.if_object()) add(*one);
    if (const json::array* several = credentials.if_array()) {
        for (const json::value& each : *several) {
            if (const json::object* one = each.if_object()) add(*one);
        }
    }
}

void RequestGate::add(const json::object& credentials) {
    credentials_.push_back({.user = text_of(credentials, "username"),
                            .password = text_of(credentials, "password"),
                            .origin = to_lower(origin_of(text_of(credentials, "origin")))});
}

void RequestGate::attach(const std::shared_ptr<Session>& session, SessionKind kind) {
    std::erase_if(sources_, [](const Source& source) { return source.session->is_closed(); });
    // What a worker asks for stops at its page.
    if (kind == SessionKind::Worker) return;
    Batch unwatched;
    set_up(sources_.emplace_back(session, kind), unwatched);
}

Batch RequestGate::set_routes(std::shared_ptr<const Routes> routes) {
    routes_ = std::move(routes);
    Batch batch;
    for (Source& source : sources_) set_up(source, batch);
    return batch;
}

void RequestGate::set_up(Source& source, Batch& batch) {
    bool routed = routes_ && !routes_->empty();
    bool judged = routed || may_request_ || !credentials_.empty();
    Session* line = source.session.get();
    auto send = [&](std::string_view method, const json::object& params = {}) {
        // A frame may go meanwhile.
        batch.add(line->begin(method, params), [](Error) { return std::optional<Error>(); });
    };
    if (judged && source.subscriptions.empty()) {
        source.subscriptions.push_back(line->on(
            "Fetch.requestPaused", [this, line](const json::object& params) { judge(*line, params); }));
        source.subscriptions.push_back(line->on(
            "Fetch.authRequired", [this, line](const json::object& params) { authenticate(*line, params); }));
        // A service worker would answer from its own cache, or ask in the page's place.
        if (may_request_ && source.kind != SessionKind::ServiceWorker)
            send("Network.setBypassServiceWorker", {{"bypass", true}});
        send("Fetch.enable", {{"handleAuthRequests", !credentials_.empty()},
                              {"patterns", json::array{json::object{{"urlPattern", "*"}}}}});
    } else if (!judged && !source.subscriptions.empty()) {
        // Lets go of what is stopped at this moment, too.
        send("Fetch.disable");
        source.subscriptions.clear();
    }
    // What the browser has in its cache it would not ask for again.
    if (source.routed != routed) send("Network.setCacheDisabled", {{"cacheDisabled", routed}});
    source.routed = routed;
}

void RequestGate::judge(Session& session, const json::object& params) const {
    const json::object* request = json::find_object(params, "request");
    std::string id = text_of(params, "requestId");
    if (may_request_ && request && !may_request_(text_of(*request, "url"))) {
        session.post("Fetch.failRequest", {{"requestId", id}, {"errorReason", "BlockedByClient"}});
    } else if (!routes_ || !routes_->take(session, params)) {
        session.post("Fetch.continueRequest", {{"requestId", id}});
    }
}

void RequestGate::authenticate(Session& session, const json::object& params) {
    const json::object* request = json::find_object(params, "request");
    std::string id = text_of(params, "requestId");
    std::string origin = request ? to_lower(origin_of(text_of(*request, "url"))) : "";
    json::object answer{{"response", "Default"}};
    if (answered_.contains(id)) {
        answer["response"] = "CancelAuth";
    } else {
        for (const Credentials& each : credentials_) {
            if (!each.origin.empty() && each.origin != origin) continue;
            answer = {
                {"response", "ProvideCredentials"}, {"username", each.user}, {"password", each.password}};
            if (answered_.size() >= kMaxAnswered) answered_.clear();
            answered_.insert(id);
            break;
        }
    }
    session.post("Fetch.continueWithAuth", {{"requestId", id}, {"authChallengeResponse", answer}});
}

}  // namespace cdp
