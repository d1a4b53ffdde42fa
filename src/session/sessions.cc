#include "session/sessions.h"

#include "session/secret_state.h"

namespace session {
namespace {

// Sessions cost little: most of them are asleep.
constexpr std::size_t kMaxNames = 100'000;
// Max remembered closed names; beyond it, some can be used again without being allowed.
constexpr std::size_t kMaxClosed = 10'000;
// A session that crashes its browser this often gets one of its own, to protect other sessions.
constexpr std::size_t kCrashesToQuarantine = 3;
// Time at the server's end for sessions that are being closed or put to sleep.
constexpr std::chrono::seconds kLastClosings{2};

constexpr std::string_view kSuccessor =
    "The daemon that had this client's session has ended, and the session with it: its pages are gone, "
    "and it begins anew.";

}  // namespace

Sessions::Sessions(Loop& loop, SessionsOptions options, browsers::Launch launch, Log& log,
                   browsers::Connect connect)
    : loop_(loop),
      options_(std::move(options)),
      log_(log),
      pool_(browsers::Pool::create(loop, options_.pool, std::move(launch), log, std::move(connect))),
      sweeper_(loop),
      checkpoints_(options_.checkpoints ? options_.checkpoints : std::make_shared<MemoryCheckpointStore>()),
      crash_checkpoints_(std::make_shared<MemoryCheckpointStore>()) {
    pool_->set_make_room([this] { return hibernate_one(); });
}

Sessions::~Sessions() { pool_->set_make_room({}); }

Task<std::shared_ptr<engine::Context>> Sessions::open(SessionKey key, std::filesystem::path workspace) {
    browsers::ContextRequest request{.workspace = std::move(workspace), .owner = key.owner};
    // The profile is one session's. Sessions with a name never wait for it.
    if (!key.name.empty() && options_.pool.isolation == browsers::Isolation::Profile &&
        !options_.pool.shared_context)
        request.isolation = browsers::Isolation::Context;
    if (const Entry* entry = find(key)) {
        const SessionSetup& setup = entry->setup;
        request.deadline = entry->session->opening_deadline();
        request.begin_stage = [session = entry->session](const std::string& what, Deadline limit) {
            if (CallProgress* progress = session->progress()) progress->begin(what, limit);
        };
        request.identity = entry->identity;
        if (setup.isolation) request.isolation = setup.isolation;
        bool anew = entry->session->life() == Session::Life::Awake;
        request.adjust = [setup, anew](engine::ContextOptions& options) {
            if (!setup.user_agent.empty()) options.user_agent = setup.user_agent;
            if (setup.viewport) options.viewport = setup.viewport;
            // A restored session has its own.
            if (anew && !setup.storage_state.is_null()) options.storage_state = setup.storage_state;
            if (!anew) options.storage_state = nullptr;
            if (!setup.permissions.empty()) options.permissions = setup.permissions;
            if (!setup.geolocation.is_null()) options.geolocation = setup.geolocation;
        };
        if (entry->session->recent_crashes() >= kCrashesToQuarantine && is_isolated(key, setup)) {
            log_.warn("a session that keeps crashing gets a browser of its own", {{"session", key.name}});
            request.isolation = browsers::Isolation::Browser;
        }
    }
    std::string note;
    request.profile_in_use = [&note](std::string line) { note = std::move(line); };
    auto context = co_await pool_->open(std::move(request));
    if (!note.empty()) take_context_in_memory(key, std::move(note));
    co_return context;
}

// A session that began in memory stays there: it never mixes with the profile.
void Sessions::take_context_in_memory(const SessionKey& key, std::string note) {
    auto it = sessions_.find(key);
    if (it == sessions_.end()) return;
    Entry& entry = it->second;
    entry.session->add_note(std::move(note));
    if (options_.pool.shared_context || options_.pool.isolation == browsers::Isolation::Shared) return;
    entry.setup.isolation = browsers::Isolation::Context;
    Persistence persistence = persistence_for(key, entry.id);
    persistence.may_be_there = false;
    entry.session->set_persistence(std::move(persistence));
}

Result<std::shared_ptr<Session>> Sessions::session(const SessionKey& key, SessionSetup setup) {
    auto it = sessions_.find(key);
    if (it != sessions_.end()) return it->second.session;
    if (sessions_.size() >= kMaxNames) {
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
    auto identity = std::make_shared<engine::SessionIdentity>(identity_of(key, setup));
    if (options_.prepare) options_.prepare(identity, options);
    std::string id = stable_id(key);
    // A guessed name must not lead to another owner's session.
    if (find_by_id(id)) id = new_id();
    std::shared_ptr<void> lease;
    std::string note;
    if (keeps_checkpoints(key, setup, id) && !(lease = checkpoints_->lease(id))) {
        note = "Another Troupe server (process " + std::to_string(checkpoints_->lease_holder(id)) +
               ") has session \"" + key.name +
               "\". This is a new session of that name, apart from it. Use another name to tell them apart; "
               "session_resume gives the other one once that server has closed it or ended.";
        id = new_id();
        lease = checkpoints_->lease(id);
    }
    if (options_.place_files) options_.place_files(*identity, id, setup, options);
    auto current_key = std::make_shared<SessionKey>(key);
    if (options_.tab_event)
        options.tab_event = [this, current_key](const std::string& tab, TabEvent event) {
            if (find(*current_key)) options_.tab_event(*current_key, tab, event);
        };
    if (options_.pool.shared_context)
        options.others_are_busy = [this, current_key] { return is_another_busy(*current_key); };
    auto made = Session::create(loop_, std::move(options), [this, current_key](const Workspace& workspace) {
        return open(*current_key, workspace.profile_directory());
    });
    sessions_.add(key, {.session = made,
                        .key = std::move(current_key),
                        .setup = std::move(setup),
                        .identity = std::move(identity),
                        .id = id,
                        .lease = std::move(lease)});
    made->set_persistence(persistence_for(key, id));
    if (sessions_.at(key).setup.is_successor && is_of_connection(key))
        made->add_note(std::string(kSuccessor));
    if (!note.empty()) made->add_note(std::move(note));
    sweep_later();
    return made;
}

Sessions::Table::iterator Sessions::Table::find_id(const std::string& id) {
    auto key = keys_.find(id);
    return key == keys_.end() ? by_key_.end() : by_key_.find(*key->second);
}

Sessions::Entry& Sessions::Table::add(const SessionKey& key, Entry entry) {
    keys_[entry.id] = entry.key;
    return by_key_.emplace(key, std::move(entry)).first->second;
}

Sessions::Table::iterator Sessions::Table::erase(iterator session) {
    keys_.erase(session->second.id);
    return by_key_.erase(session);
}

void Sessions::Table::set_id(iterator session, const std::string& id) {
    keys_.erase(session->second.id);
    session->second.id = id;
    keys_[id] = session->second.key;
}

Sessions::Entry& Sessions::Table::rename(iterator session, SessionKey key) {
    auto node = by_key_.extract(session);
    node.key() = key;
    *node.mapped().key = std::move(key);
    return by_key_.insert(std::move(node)).position->second;
}

void Sessions::Table::clear() {
    keys_.clear();
    by_key_.clear();
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
    // No other server may restore the state while it is being deleted.
    auto lease = std::move(it->second.lease);
    sessions_.erase(it);
    if (options_.changed) options_.changed(key, store::SessionState::Closed);
    co_await session->close();
    co_return true;
}

namespace {

// Closes the session with its context; keeps it and its lease until that is done.
Task<> close_session(std::shared_ptr<Session> session, std::shared_ptr<void> lease = {}) {
    (void)lease;
    co_await session->close();
}

}  // namespace

Sessions::Table::iterator Sessions::end(Table::iterator session) {
    if (options_.changed) options_.changed(session->first, store::SessionState::Closed);
    background_.add(close_session(std::move(session->second.session), std::move(session->second.lease)));
    return sessions_.erase(session);
}

void Sessions::discard(const SessionKey& key) {
    if (auto it = sessions_.find(key); it != sessions_.end()) end(it);
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
    if (slept && *slept) log.info("a session hibernated", {{"session", session->persistence().id}});
}

}  // namespace

// Sweeps only while there is a session, so that an idle server stays asleep.
void Sessions::sweep_later() {
    auto interval = options_.sweep_interval;
    bool wanted = false;
    for (auto limit : {options_.browser_idle, options_.hibernate_after}) {
        if (limit.count() <= 0) continue;
        wanted = true;
        interval = std::min(interval, limit);
    }
    if (sweeping_ || sessions_.empty() || !wanted) return;
    sweeping_ = true;
    sweeper_.start(interval, [this] {
        sweeping_ = false;
        sweep();
        sweep_later();
    });
}

// Whether its agent can ask for it again, and expects to find it as it was.
bool Sessions::comes_back(const SessionKey& key, const Entry& entry) const {
    const Persistence& persistence = entry.session->persistence();
    return persistence.checkpoints == checkpoints_ && persistence.hibernates &&
           (!key.name.empty() || options_.resumable);
}

bool Sessions::is_another_busy(const SessionKey& key) const {
    return std::ranges::any_of(
        sessions_, [&](const auto& each) { return each.first != key && each.second.session->is_busy(); });
}

void Sessions::sweep() {
    auto now = Session::Clock::now();
    auto idle_for = [&](const Session& session, std::chrono::milliseconds limit) {
        return limit.count() > 0 && session.has_browser() && !session.is_busy() &&
               session.last_use() < now - limit;
    };
    for (const auto& [key, entry] : sessions_) {
        if (idle_for(*entry.session, options_.browser_idle) && comes_back(key, entry)) {
            background_.add(put_away(entry.session));
        } else if (idle_for(*entry.session, options_.browser_idle)) {
            log_.info("closing the browser of an unused session", {{"session", key.name}});
            background_.add(close_session(entry.session));
        } else if (idle_for(*entry.session, options_.hibernate_after) && entry.session->can_hibernate()) {
            background_.add(put_to_sleep(entry.session, log_));
        }
    }
}

void Sessions::announce_close(std::size_t others) {
    log_.channel("pw:mcp:test", "gracefully closing " + std::to_string(pool_->browser_count() + others));
}

Task<> Sessions::close_all() {
    sweeper_.cancel();
    graces_.clear();
    // Sessions whose client has just left are on their way out already; their tabs need the browser's
    // connection.
    (void)co_await as_result(with_deadline(loop_, background_.join(loop_), Deadline::in(kLastClosings),
                                           "Closing the sessions that ended"));
    co_await checkpoint_all();
    co_await close_own_tabs();
    co_await pool_->close();
    // A session that another run can resume has only hibernated.
    for (const auto& [key, entry] : sessions_) {
        bool is_kept = checkpoints_->is_lasting() && entry.session->persistence().checkpoints == checkpoints_;
        auto state = is_kept ? store::SessionState::Hibernated : store::SessionState::Closed;
        if (options_.changed) options_.changed(key, state);
    }
    sessions_.clear();
}

}  // namespace session
