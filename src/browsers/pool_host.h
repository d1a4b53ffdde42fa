// One browser of the pool; only the pool's own files include this.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include "browsers/context_lease.h"
#include "browsers/pool.h"
#include "engine/profile_lock.h"

namespace browsers {

// Names of a session's waits, as the log has them.
inline constexpr const char* kTurn = "its turn to open a browser context";
inline constexpr const char* kStart = "a browser to start";
inline constexpr const char* kContext = "a browser context";

struct Pool::Host {
    std::filesystem::path key;
    bool for_contexts = false;  // contexts in memory, of many sessions
    std::shared_ptr<engine::Browser> browser = {};
    std::size_t users = 0;
    std::shared_ptr<engine::ProfileLock> lock = {};  // while the browser has a profile
    std::string profile_holder = {};                 // owner of the profile, if it is not this browser
    std::shared_ptr<SharedResult<void>> ready = {};  // set when the browser runs, or never will
    Running launching = {};
    // The one context of all its users, if they share one or it is a profile's. It is opened once for all
    // callers; the host owns the opening, so a caller that gives up takes nothing from the others.
    std::weak_ptr<SharedContext> context = {};
    std::shared_ptr<SharedResult<std::shared_ptr<SharedContext>>> opening = {};  // while it is under way
    Running opening_task = {};
    WarmContexts warm = {};
    std::optional<boost::asio::steady_timer> idle_timer = {};  // while nobody uses it

    bool is_usable() const { return !browser || !browser->is_lost(); }
};

struct Pool::Launched {
    std::shared_ptr<engine::Browser> browser = {};
    std::shared_ptr<engine::ProfileLock> lock = {};
    std::string profile_holder = {};
};

// A context to open, and its slot.
struct Pool::Opening {
    ContextRequest request;
    engine::ContextOptions options;
    Slot slot;
    std::string note = {};  // for the agent, when it has no profile
};

class Pool::Use {
public:
    Use(Pool& pool, HostPtr host) : pool_(pool), host_(std::move(host)) { ++host_->users; }
    Use(const Use&) = delete;
    // A caller that gets no context, for whatever reason, is no longer a user.
    ~Use() {
        if (host_) pool_.abandon(std::move(host_), nullptr);
    }
    void keep() { host_ = nullptr; }
    const HostPtr& host() const { return host_; }

private:
    Pool& pool_;
    HostPtr host_;
};

}  // namespace browsers
