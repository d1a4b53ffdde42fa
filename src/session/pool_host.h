// One browser of the pool; only the pool's own files include this.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include "session/lent_context.h"
#include "session/pool.h"

namespace session {

struct Pool::Host {
    std::filesystem::path key;
    bool for_contexts = false;  // contexts in memory, of many sessions
    std::shared_ptr<engine::Browser> browser = {};
    std::size_t users = 0;
    std::weak_ptr<ContextHub> shared = {};
    std::weak_ptr<ContextHub> only = {};             // of a line to somebody else's profile
    std::shared_ptr<SharedResult<void>> ready = {};  // until the browser runs
    Running launching = {};
    WarmContexts warm = {};
    std::optional<boost::asio::steady_timer> resting = {};  // while nobody uses it

    bool is_usable() const { return !browser || !browser->is_lost(); }
};

class Pool::Use {
public:
    Use(Pool& pool, HostPtr host) : pool_(pool), host_(std::move(host)) { ++host_->users; }
    Use(const Use&) = delete;
    // Whoever does not come to a context, for whatever reason, is no user.
    ~Use() {
        if (host_) pool_.abandon(std::move(host_), nullptr);
    }
    void keep() { host_ = nullptr; }

private:
    Pool& pool_;
    HostPtr host_;
};

}  // namespace session
