#include "engine/cdp/request_interceptor.h"

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

RequestInterceptor::RequestInterceptor(MayRequest may_request, const json::value& credentials,
                                       engine::ProxyCredentials proxy_credentials)
    : may_request_(std::move(may_request)), proxy_credentials_(std::move(proxy_credentials)) {
    if (const json::object* one = credentials.if_object()) add(*one);
    if (const json::array* several = credentials.if_array()) {
        for (const json::value& each : *several) {
            if (const json::object* one = each.if_object()) add(*one);
        }
    }
}

void RequestInterceptor::add(const json::object& credentials) {
    credentials_.push_back({.user = text_of(credentials, "username"),
                            .password = text_of(credentials, "password"),
                            .origin = to_lower(origin_of(text_of(credentials, "origin")))});
}

void RequestInterceptor::attach(const std::shared_ptr<Session>& session, SessionKind kind) {
    std::erase_if(sources_, [](const Source& source) { return source.session->is_closed(); });
    // A worker's requests are intercepted on its page's session.
    if (kind == SessionKind::Worker) return;
    Batch unwatched;
    set_up(sources_.emplace_back(session, kind), unwatched);
}

Batch RequestInterceptor::set_routes(std::shared_ptr<const Routes> routes) {
    routes_ = std::move(routes);
    Batch batch;
    for (Source& source : sources_) set_up(source, batch);
    return batch;
}

void RequestInterceptor::set_up(Source& source, Batch& batch) {
    bool routed = routes_ && !routes_->empty();
    bool judged = routed || may_request_ || knows_credentials();
    Session* line = source.session.get();
    auto send = [&](std::string_view method, const json::object& params = {}) {
        // The frame may be gone meanwhile.
        batch.add(line->begin(method, params), [](Error) { return std::optional<Error>(); });
    };
    if (judged && source.subscriptions.empty()) {
        source.subscriptions.push_back(line->on(
            "Fetch.requestPaused", [this, line](const json::object& params) { judge(*line, params); }));
        source.subscriptions.push_back(line->on(
            "Fetch.authRequired", [this, line](const json::object& params) { authenticate(*line, params); }));
        // A service worker would answer from its own cache, or make the request for the page.
        if (may_request_ && source.kind != SessionKind::ServiceWorker)
            send("Network.setBypassServiceWorker", {{"bypass", true}});
        send("Fetch.enable", {{"handleAuthRequests", knows_credentials()},
                              {"patterns", json::array{json::object{{"urlPattern", "*"}}}}});
    } else if (!judged && !source.subscriptions.empty()) {
        // Also releases the requests that are paused now.
        send("Fetch.disable");
        source.subscriptions.clear();
    }
    // Cached resources would cause no request that a route could match.
    if (source.routed != routed) send("Network.setCacheDisabled", {{"cacheDisabled", routed}});
    source.routed = routed;
}

void RequestInterceptor::judge(Session& session, const json::object& params) const {
    const json::object* request = json::find_object(params, "request");
    std::string id = text_of(params, "requestId");
    if (may_request_ && request && !may_request_(text_of(*request, "url"))) {
        session.post("Fetch.failRequest", {{"requestId", id}, {"errorReason", "BlockedByClient"}});
    } else if (!routes_ || !routes_->take(session, params)) {
        session.post("Fetch.continueRequest", {{"requestId", id}});
    }
}

json::value RequestInterceptor::answer_to(const json::object& challenge, const std::string& origin) const {
    auto provide = [](const std::string& user, const std::string& password) {
        return json::object{{"response", "ProvideCredentials"}, {"username", user}, {"password", password}};
    };
    // A proxy must not get a site's credentials, nor a site the proxy's.
    if (text_of(challenge, "source") == "Proxy") {
        if (proxy_credentials_.username.empty()) return nullptr;
        return provide(proxy_credentials_.username, proxy_credentials_.password);
    }
    for (const Credentials& each : credentials_) {
        if (each.origin.empty() || each.origin == origin) return provide(each.user, each.password);
    }
    return nullptr;
}

void RequestInterceptor::authenticate(Session& session, const json::object& params) {
    const json::object* request = json::find_object(params, "request");
    const json::object* asked = json::find_object(params, "authChallenge");
    json::object challenge = asked ? *asked : json::object();
    std::string id = text_of(params, "requestId"), key = id + " " + text_of(challenge, "source");
    std::string origin = request ? to_lower(origin_of(text_of(*request, "url"))) : "";
    json::object answer{{"response", "Default"}};
    if (answered_.contains(key)) {
        answer["response"] = "CancelAuth";
    } else if (json::value known = answer_to(challenge, origin); known.is_object()) {
        answer = std::move(known.get_object());
        if (answered_.size() >= kMaxAnswered) answered_.clear();
        answered_.insert(key);
    }
    session.post("Fetch.continueWithAuth", {{"requestId", id}, {"authChallengeResponse", answer}});
}

}  // namespace cdp
