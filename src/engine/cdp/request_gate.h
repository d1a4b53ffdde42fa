// Lets requests pass, or not, and answers when a server asks who we are.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/cdp/batch.h"
#include "engine/cdp/connection.h"
#include "engine/cdp/routes.h"
#include "engine/cdp/session_kind.h"

namespace cdp {

// Stops every request of its sessions until it is judged; redirects are judged again. Costs nothing where
// there is nothing to judge by. Lives on the main loop.
class RequestGate {
public:
    using MayRequest = std::function<bool(const std::string& url)>;

    // `credentials` is one {username, password, origin?} or a list of them; null for none.
    RequestGate(MayRequest may_request, const json::value& credentials);
    RequestGate(const RequestGate&) = delete;

    // Takes effect before any later command of that session.
    void attach(const std::shared_ptr<Session>& session, SessionKind kind);

    // What may be requested goes by these: in sessions that are attached later, and in the others once the
    // batch is answered.
    Batch set_routes(std::shared_ptr<const Routes> routes);

private:
    struct Credentials {
        std::string user;
        std::string password;
        std::string origin;  // empty: for all
    };
    struct Source {
        std::shared_ptr<Session> session;
        SessionKind kind;
        bool routed = false;
        std::vector<Subscription> subscriptions = {};  // none while its requests go by unseen
    };

    void add(const json::object& credentials);
    void set_up(Source& source, Batch& batch);
    void judge(Session& session, const json::object& params) const;
    void authenticate(Session& session, const json::object& params);

    MayRequest may_request_;
    std::vector<Credentials> credentials_;
    std::shared_ptr<const Routes> routes_;
    // Requests that were given credentials once: a second question means that they were wrong.
    std::set<std::string> answered_;
    std::vector<Source> sources_;
};

}  // namespace cdp
