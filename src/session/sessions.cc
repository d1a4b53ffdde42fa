#include "session/sessions.h"

#include "session/secret_state.h"

namespace session {
namespace {

// Names cost little: most of them are asleep.
constexpr std::size_t kMostNames = 100'000;
// So many closed names are known; of more, some can be used again without having been made anew.
constexpr std::size_t kMaxClosed = 10'000;
// Of a session that keeps killing its browser, nobody else shall be the victim.
constexpr std::size_t kCrashesToQuarantine = 3;

}  // namespace

Sessions::Sessions(Loop& loop, SessionsOptions options, Launch launch, Log& log, Connect connect)
    : loop_(loop),
      options_(std::move(options)),
      log_(log),
      pool_(Pool::create(loop, options_.pool, std::move(launch), log, std::move(connect))),
      sweeper_(loop),
      vault_(options_.vault ? options_.vault : std::make_shared<MemoryVault>()),
      crash_memory_(std::make_shared<MemoryVault>()) {
    pool_->set_make_room([this] { return hibernate_one(); });
}

Sessions::~Sessions() { pool_->set_make_room({}); }

Task<std::shared_ptr<engine::Context>> Sessions::open(SessionKey key, std::filesystem::path workspace) {
    ContextRequest request{.workspace = std::move(workspace), .owner = key.owner};
    // The profile is one session's. Those with a name never wait for it.
    if (!key.name.empty() && options_.pool.isolation == Isolation::Profile && !options_.pool.shared_context)
        request.isolation = Isolation::Context;
    if (const Entry* entry = find(key)) {
        const SessionSetup& setup = entry->setup;
        request.deadline = entry->session->opening_deadline();
        request.begin_stage = [session = entry->session](const std::string& what, Deadline limit) {
            if (CallProgress* progress = session->progress()) progress->begin(what, limit);
        };
        request.holder = entry->holder;
        if (setup.isolation) request.isolation = setup.isolation;
        bool anew = entry->session->life() == Session::Life::Awake;
        request.adjust = [setup, anew](engine::ContextOptions& options) {
            if (!setup.user_agent.empty()) options.user_agent = setup.user_agent;
            if (setup.viewport) options.viewport = setup.viewport;
            // One that comes back has its own.
            if (anew && !setup.storage_state.is_null()) options.storage_state = setup.storage_state;
            if (!anew) options.storage_state = nullptr;
            if (!setup.permissions.empty()) options.permissions = setup.permissions;
            if (!setup.geolocation.is_null()) options.geolocation = setup.geolocation;
        };
        if (entry->session->recent_crashes() >= kCrashesToQuarantine && is_isolated(key, setup)) {
            log_.warn("a session that keeps crashing gets a browser of its own", {{"session", key.name}});
            request.isolation = Isolation::Browser;
        }
    }
    std::string note;
    request.profile_in_use = [&note](std::string line) { note = std::move(line); };
    auto context = co_await pool_->open(std::move(request));
    if (!note.empty()) take_context_in_memory(key, std::move(note));
    co_return context;
}

// What it has in memory is its own for good: it never mixes with the profile.
void Sessions::take_context_in_memory(const SessionKey& key, std::string note) {
    auto it = sessions_.find(key);
    if (it == sessions_.end()) return;
    Entry& entry = it->second;
    entry.session->add_note(std::move(note));
    if (options_.pool.shared_context || options_.pool.isolation == Isolation::Shared) return;
    entry.setup.isolation = Isolation::Context;
    Keeping keeping = keeping_for(key, entry.id);
    keeping.may_be_there = false;
    entry.session->keep(std::move(keeping));
}

Result<std::shared_ptr<Session>> Sessions::session(const SessionKey& key, SessionSetup setup) {
    auto it = sessions_.find(key);
    if (it != sessions_.end()) return it->second.session;
    if (sessions_.size() >= kMostNames) {
        return Error{
            .code = ErrorCode::ResourceExhausted,
            .message = "There are " + std::to_string(sessions_.size()) + " sessions, as many as are allowed.",
            .hint = "Close sessions that are no longer needed."};
    }
    SessionOptions options = options_.session;
    if (!setup.storage_state.is_null())
        setup.storage_state = TRY(reveal_in_state(Secrets(options.secrets, options.secret_origins),
                                                  std::move(setup.storage_state)));
    if (setup.budget) options.budget = *setup.budget;
    auto holder = std::make_shared<engine::Holder>(holder_of(key, setup));
    if (options_.prepare) options_.prepare(holder, options);
    std::string id = stable_id(key);
    // What is somebody else's now is not to be had by guessing its name.
    if (find_by_id(id)) id = new_id();
    std::shared_ptr<void> lease;
    std::string note;
    if (keeps_in_vault(key, setup, id) && !(lease = vault_->lease(id))) {
        note = "Another Troupe server (process " + std::to_string(vault_->lease_holder(id)) +
               ") has session \"" + key.name +
               "\". This is a new session of that name, apart from it. Use another name to tell them apart; "
               "session_resume gives the other one once that server has closed it or ended.";
        id = new_id();
        lease = vault_->lease(id);
    }
    if (options_.place_files) options_.place_files(*holder, id, setup, options);
    if (options_.tab_event)
        options.tab_event = [this, key, id](const std::string& tab, TabEvent event) {
            tell(key, id, tab, event);
        };
    auto made = Session::create(loop_, std::move(options), [this, key](const Workspace& workspace) {
        return open(key, workspace.profile_directory());
    });
    sessions_.emplace(key, Entry{.session = made,
                                 .setup = std::move(setup),
                                 .holder = std::move(holder),
                                 .id = id,
                                 .lease = std::move(lease)});
    made->keep(keeping_for(key, id));
    if (!note.empty()) made->add_note(std::move(note));
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
    if (it == sessions_.end()) {
        bool forgotten = co_await forget_earlier(key);
        if (forgotten) note_closed(key);
        co_return forgotten;
    }
    note_closed(key);
    auto session = std::move(it->second.session);
    // Nobody else begins with what is being forgotten.
    auto lease = std::move(it->second.lease);
    sessions_.erase(it);
    if (options_.changed) options_.changed(key, store::SessionState::Closed);
    co_await session->close();
    co_return true;
}

void Sessions::run(Task<> task) {
    std::uint64_t number = ++last_ending_;
    Running running = start(std::move(task), [this, number](Result<void>) { ending_.erase(number); });
    if (!running.done()) ending_.emplace(number, std::move(running));
}

namespace {

// Its context goes with it; the session is kept until that is done, and so is its lease.
Task<> close_session(std::shared_ptr<Session> session, std::shared_ptr<void> lease = {}) {
    (void)lease;
    co_await session->close();
}

}  // namespace

Sessions::Entries::iterator Sessions::end(Entries::iterator session) {
    if (options_.changed) options_.changed(session->first, store::SessionState::Closed);
    run(close_session(std::move(session->second.session), std::move(session->second.lease)));
    return sessions_.erase(session);
}

void Sessions::note_closed(const SessionKey& key) {
    // An owner always has a session of its own.
    if (key.name.empty()) return;
    if (closed_.size() >= kMaxClosed) closed_.erase(closed_.begin());
    closed_.insert(key);
}

Error Sessions::closed_error(const std::string& name) {
    return Error{.code = ErrorCode::SessionNotFound,
                 .message = "Session \"" + name + "\" was closed.",
                 .hint =
                     "create_session with this sessionId makes a new one; any other name does so with its "
                     "first call."};
}

namespace {

Task<> put_to_sleep(std::shared_ptr<Session> session, Log& log) {
    auto slept = co_await as_result(session->hibernate());
    if (!slept) log.warn("a session could not hibernate", {{"error", slept.error().to_string()}});
    if (slept && *slept) log.info("a session hibernated", {{"session", session->keeping().id}});
}

}  // namespace

// Only while there is a session, so that an idle server stays asleep.
void Sessions::sweep_later() {
    auto shortest = options_.sweep_interval;
    bool wanted = false;
    for (auto limit : {options_.browser_idle, options_.hibernate_after}) {
        if (limit.count() <= 0) continue;
        wanted = true;
        shortest = std::min(shortest, limit);
    }
    if (sweeping_ || sessions_.empty() || !wanted) return;
    sweeping_ = true;
    sweeper_.expires_after(shortest);
    sweeper_.async_wait([this](boost::system::error_code error) {
        if (error) return;
        sweeping_ = false;
        sweep();
        sweep_later();
    });
}

void Sessions::sweep() {
    auto now = Session::Clock::now();
    auto idle_for = [&](const Session& session, std::chrono::milliseconds limit) {
        return limit.count() > 0 && session.has_browser() && !session.is_busy() &&
               session.last_use() < now - limit;
    };
    for (const auto& [key, entry] : sessions_) {
        if (idle_for(*entry.session, options_.browser_idle)) {
            log_.info("closing the browser of an unused session", {{"session", key.name}});
            run(close_session(entry.session));
        } else if (idle_for(*entry.session, options_.hibernate_after) && entry.session->can_hibernate()) {
            run(put_to_sleep(entry.session, log_));
        }
    }
}

void Sessions::announce_close(std::size_t others) {
    log_.channel("pw:mcp:test", "gracefully closing " + std::to_string(pool_->browser_count() + others));
}

Task<> Sessions::close_all() {
    sweeper_.cancel();
    graces_.clear();
    co_await checkpoint_all();
    co_await pool_->close();
    // The loss of its browser was none to a session that another run can resume.
    for (const auto& [key, entry] : sessions_) {
        bool is_kept = vault_->is_lasting() && entry.session->keeping().vault == vault_;
        auto state = is_kept ? store::SessionState::Hibernated : store::SessionState::Closed;
        if (options_.changed) options_.changed(key, state);
    }
    sessions_.clear();
}

}  // namespace session
