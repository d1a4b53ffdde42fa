#include "session/sessions.h"

namespace session {
namespace {

// A session without a context is a name and little else; those with one are the pool's to count.
constexpr std::size_t kMostNames = 100'000;

}  // namespace

Sessions::Sessions(Loop& loop, SessionsOptions options, Launch launch, Log& log, Connect connect)
    : loop_(loop),
      options_(std::move(options)),
      log_(log),
      pool_(Pool::create(loop, options_.pool, std::move(launch), log, std::move(connect))),
      sweeper_(loop) {}

Sessions::~Sessions() = default;

Task<std::shared_ptr<engine::Context>> Sessions::open(SessionKey key, std::filesystem::path workspace) {
    ContextRequest request{.workspace = std::move(workspace), .owner = key.owner};
    // The profile is one session's. Those with a name never wait for it.
    if (!key.name.empty() && options_.pool.isolation == Isolation::Profile && !options_.pool.shared_context)
        request.isolation = Isolation::Context;
    if (const Entry* entry = find(key)) {
        const SessionSetup& setup = entry->setup;
        request.deadline = entry->session->deadline();
        if (setup.isolation) request.isolation = setup.isolation;
        request.adjust = [setup](engine::ContextOptions& options) {
            if (!setup.user_agent.empty()) options.user_agent = setup.user_agent;
            if (setup.viewport) options.viewport = setup.viewport;
            if (!setup.storage_state.is_null()) options.storage_state = setup.storage_state;
            if (!setup.permissions.empty()) options.permissions = setup.permissions;
            if (!setup.geolocation.is_null()) options.geolocation = setup.geolocation;
        };
    }
    return pool_->open(std::move(request));
}

Result<std::shared_ptr<Session>> Sessions::session(const SessionKey& key, SessionSetup setup,
                                                   const std::filesystem::path& directory) {
    auto it = sessions_.find(key);
    if (it != sessions_.end()) return it->second.session;
    if (sessions_.size() >= kMostNames) {
        return Error{
            .code = ErrorCode::ResourceExhausted,
            .message = "There are " + std::to_string(sessions_.size()) + " sessions, as many as are allowed.",
            .hint = "Close sessions that are no longer needed."};
    }
    SessionOptions options = options_.session;
    if (!directory.empty()) options.working_directory = directory;
    if (setup.budget) options.budget = *setup.budget;
    auto made = Session::create(loop_, std::move(options), [this, key](const Workspace& workspace) {
        return open(key, workspace.root());
    });
    sessions_.emplace(key, Entry{.session = made, .setup = std::move(setup)});
    sweep_later();
    return made;
}

const Sessions::Entry* Sessions::find(const SessionKey& key) const {
    auto it = sessions_.find(key);
    return it == sessions_.end() ? nullptr : &it->second;
}

std::vector<std::pair<std::string, const Sessions::Entry*>> Sessions::list(const std::string& owner) const {
    std::vector<std::pair<std::string, const Entry*>> found;
    for (auto it = sessions_.lower_bound({owner, ""}); it != sessions_.end() && it->first.owner == owner;
         ++it)
        found.emplace_back(it->first.name, &it->second);
    return found;
}

Task<bool> Sessions::close(SessionKey key) {
    auto it = sessions_.find(key);
    if (it == sessions_.end()) co_return false;
    auto session = std::move(it->second.session);
    sessions_.erase(it);
    if (options_.ended) options_.ended(key);
    co_await session->close();
    co_return true;
}

void Sessions::end(std::shared_ptr<Session> session) {
    std::uint64_t number = ++last_ending_;
    // Its context goes with it; the session is kept until that is done.
    Running running =
        start(session->close(), [this, session, number](Result<void>) { ending_.erase(number); });
    if (!running.done()) ending_.emplace(number, std::move(running));
}

void Sessions::end_owner(const std::string& owner) {
    for (auto it = sessions_.lower_bound({owner, ""}); it != sessions_.end() && it->first.owner == owner;) {
        auto session = std::move(it->second.session);
        if (options_.ended) options_.ended(it->first);
        it = sessions_.erase(it);
        end(std::move(session));
    }
}

// Only while there is a session, so that an idle server stays asleep.
void Sessions::sweep_later() {
    if (sweeping_ || sessions_.empty() || options_.browser_idle.count() <= 0) return;
    sweeping_ = true;
    sweeper_.expires_after(std::min(options_.sweep_interval, options_.browser_idle));
    sweeper_.async_wait([this](boost::system::error_code error) {
        if (error) return;
        sweeping_ = false;
        sweep();
        sweep_later();
    });
}

void Sessions::sweep() {
    auto last = Session::Clock::now() - options_.browser_idle;
    for (const auto& [key, entry] : sessions_) {
        if (entry.session->has_browser() && !entry.session->is_busy() && entry.session->last_use() < last) {
            log_.info("closing the browser of an unused session", {{"session", key.name}});
            end(entry.session);
        }
    }
}

void Sessions::announce_close() {
    log_.channel("pw:mcp:test", "gracefully closing " + std::to_string(pool_->browser_count()));
}

Task<> Sessions::close_all() {
    sweeper_.cancel();
    co_await pool_->close();
    sessions_.clear();
}

}  // namespace session
