// Attaches to the targets that other targets start: popups, frames in other processes, workers.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "engine/cdp/connection.h"

namespace cdp {

// Handles targets started below the watched sessions. A session is auto-attached only together with its
// handler, and a target that the handler declines is resumed and detached: none is ever left waiting for a
// debugger. Lives on the main loop.
class AutoAttach {
public:
    struct Target {
        std::shared_ptr<Session> parent;   // the session that received the event
        std::shared_ptr<Session> session;  // the target's own session
        const json::object& info;
    };
    // Sets up the paused target and resumes it; returns false to decline it.
    using Take = std::function<bool(const Target& target)>;

    AutoAttach(const std::shared_ptr<Connection>& connection, Take take)
        : connection_(connection), take_(std::move(take)) {}
    AutoAttach(const AutoAttach&) = delete;

    // From now on attaches to every target that this session starts, and pauses it until it is set up.
    Pending watch(const std::shared_ptr<Session>& session);
    // Handles only targets that are attached explicitly by id.
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
