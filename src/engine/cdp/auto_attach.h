// Attaching to what targets start: popups, frames in other processes, workers.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "engine/cdp/connection.h"

namespace cdp {

// Handles the targets that start below the sessions it watches. A session is auto-attached only together with
// its handler, and a target that the handler does not take is resumed and detached: none is ever left waiting
// for a debugger. Lives on the main loop.
class AutoAttach {
public:
    struct Target {
        std::shared_ptr<Session> parent;   // which was notified of it
        std::shared_ptr<Session> session;  // its own
        const json::object& info;
    };
    // Sets the paused target up and resumes it; false declines it.
    using Take = std::function<bool(const Target& target)>;

    AutoAttach(const std::shared_ptr<Connection>& connection, Take take)
        : connection_(connection), take_(std::move(take)) {}
    AutoAttach(const AutoAttach&) = delete;

    // From now on attaches to every target that this one starts, and pauses it until it is set up.
    Pending watch(const std::shared_ptr<Session>& session);
    // Handles only the targets that somebody attaches to by name.
    void listen(const std::shared_ptr<Session>& session);

private:
    void attached(const std::shared_ptr<Session>& parent, const json::object& params);
    void let_go(std::shared_ptr<Session> parent, std::shared_ptr<Session> session);

    std::weak_ptr<Connection> connection_;
    Take take_;
    struct Watched {
        std::shared_ptr<Session> session;
        Subscription subscription;
    };
    std::vector<Watched> watched_;
    std::list<Running> letting_go_;
};

}  // namespace cdp
