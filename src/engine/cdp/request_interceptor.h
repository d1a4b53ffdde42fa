// Allows or blocks requests, and answers authentication challenges.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/batch.h"
#include "engine/cdp/connection.h"
#include "engine/cdp/routes.h"
#include "engine/cdp/session_kind.h"

namespace cdp {

// Pauses every request of its sessions until it is judged; redirects are judged again. Costs nothing without
// rules. Lives on the main loop.
class RequestInterceptor {
public:
    using MayRequest = std::function<bool(const std::string& url)>;

    // `credentials` is one {username, password, origin?} or a list of them, for servers; null for none.
    RequestInterceptor(MayRequest may_request, const json::value& credentials,
                       engine::ProxyCredentials proxy_credentials);
    RequestInterceptor(const RequestInterceptor&) = delete;

    // Takes effect before any later command of that session.
    void attach(const std::shared_ptr<Session>& session, SessionKind kind);

    // Applies the routes to sessions that are attached later, and to the others once the batch is answered.
    Batch set_routes(std::shared_ptr<const Routes> routes);

private:
    struct Credentials {
        std::string user;
        std::string password;
        std::string origin;  // empty: any origin
    };
    struct Source {
        std::shared_ptr<Session> session;
        SessionKind kind;
        bool routed = false;
        std::vector<Subscription> subscriptions = {};  // empty while its requests are not intercepted
    };

    void add(const json::object& credentials);
    bool knows_credentials() const { return !credentials_.empty() || !proxy_credentials_.username.empty(); }
    // The answer to that origin's or the proxy's challenge; null: none.
    json::value answer_to(const json::object& challenge, const std::string& origin) const;
    void set_up(Source& source, Batch& batch);
    void judge(Session& session, const json::object& params) const;
    void authenticate(Session& session, const json::object& params);

    MayRequest may_request_;
    std::vector<Credentials> credentials_;
    engine::ProxyCredentials proxy_credentials_;
    std::shared_ptr<const Routes> routes_;
    // Requests that were given credentials once, with the challenger: a second challenge means that they were
    // wrong.
    std::set<std::string> answered_;
    std::vector<Source> sources_;
};

}  // namespace cdp
