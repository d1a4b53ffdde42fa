// Sessions that outlive their browser, their connection or the server.
#include <algorithm>

#include "browsers/context_lease.h"
#include "session/sessions.h"
#include "util/crypto.h"
#include "util/strings.h"
#include "util/when_all.h"

namespace session {
namespace {

using namespace std::chrono_literals;

// Min time for a running dialog, download or navigation, however short the queue timeout.
constexpr auto kMinPageWork = 5s;
// How long a session that was awake for long may take to end its running call.
constexpr auto kCallEnd = 200ms;

constexpr std::string_view kConnection = "connection ", kPrincipal = "principal ", kPublic = "id ",
                           kName = "name ";
// Parts of the five seconds that a shutdown may take.
constexpr auto kLastCheckpoints = 2s, kLastTabs = 1s;

Error in_use(const std::string& id, pid_t holder) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Session \"" + id + "\" is in use by another Troupe server (process " +
                            std::to_string(holder) + ").",
                 .hint = "Close it there, or end that server. Its state is kept."};
}

// The part of a budget that a session can be created with; the rest is the server's.
json::object to_json(const Budget& budget) {
    json::object made{{"callTime", budget.call_time.count()}, {"heap", budget.heap}};
    if (budget.tabs) made["tabs"] = *budget.tabs;
    return made;
}

// Reads a budget within the server's present limits.
Budget read_budget(const json::object& kept, Budget limits) {
    auto number = [&](std::string_view name) -> std::uint64_t {
        return static_cast<std::uint64_t>(
            std::max<std::int64_t>(json::find_integer(kept, name).value_or(0), 0));
    };
    if (number("callTime") > 0) limits.call_time = std::chrono::milliseconds(number("callTime"));
    if (auto tabs = number("tabs"); tabs > 0)
        limits.tabs = std::min<std::size_t>(limits.tabs.value_or(tabs), tabs);
    if (auto heap = number("heap"); heap > 0)
        limits.heap = limits.heap == 0 ? heap : std::min(limits.heap, heap);
    return limits;
}

json::object to_json(const SessionSetup& setup) {
    json::object made;
    if (!setup.principal.empty()) made["principal"] = setup.principal;
    if (setup.isolation) made["isolation"] = static_cast<int>(*setup.isolation);
    if (!setup.user_agent.empty()) made["userAgent"] = setup.user_agent;
    if (setup.viewport) made["viewport"] = json::array{setup.viewport->width, setup.viewport->height};
    if (setup.budget) made["budget"] = to_json(*setup.budget);
    if (!setup.storage_state.is_null()) made["storageState"] = setup.storage_state;
    return made;
}

std::string principal_of(const json::object& kept) {
    return std::string(json::find_string(kept, "principal").value_or(""));
}

void take(SessionSetup& setup, const json::object& kept, const Budget& limits) {
    setup.principal = principal_of(kept);
    if (auto isolation = json::find_integer(kept, "isolation"))
        setup.isolation = *isolation == static_cast<int>(browsers::Isolation::Browser)
                              ? browsers::Isolation::Browser
                              : browsers::Isolation::Context;
    if (auto agent = json::find_string(kept, "userAgent")) setup.user_agent = std::string(*agent);
    if (const json::array* size = json::find_array(kept, "viewport"); size && size->size() == 2)
        setup.viewport = engine::Size{size->at(0).to_number<int>(), size->at(1).to_number<int>()};
    if (const json::object* budget = json::find_object(kept, "budget"))
        setup.budget = read_budget(*budget, limits);
    if (const json::value* state = json::find(kept, "storageState")) setup.storage_state = *state;
}

// An id alone gives no access to the session of another authenticated principal.
bool may_resume(const std::string& owner, const std::string& principal) {
    return principal.empty() || owner == std::string(kPrincipal) + principal;
}

std::string principal_of_state(const std::string& text) {
    auto state = parse_checkpoint(text);
    const json::object* setup = state ? json::find_object(*state, "setup") : nullptr;
    return setup ? principal_of(*setup) : "";
}

}  // namespace

bool Sessions::is_of_connection(const SessionKey& key) { return key.owner.starts_with(kConnection); }

engine::SessionIdentity Sessions::identity_of(const SessionKey& key, const SessionSetup& setup) {
    bool authenticated = key.owner.starts_with(kPrincipal);
    return {.session = key.name,
            .principal = authenticated ? key.owner.substr(kPrincipal.size()) : setup.principal};
}

std::string Sessions::stable_id(const SessionKey& key) {
    if (key.owner.empty()) return std::string(kName) + key.name;
    if (!is_of_connection(key)) return key.owner + "\n" + key.name;
    return is_uuid(key.name) ? std::string(kPublic) + key.name : new_id();
}

std::string Sessions::new_id() { return std::string(kPublic) + random_uuid(); }

// The error for a session that was not found by name or id.
Error Sessions::not_found(const SessionKey& key) const {
    Error error{.code = ErrorCode::SessionNotFound,
                .message = "There is no session \"" + key.name + "\" to resume.",
                .hint = "It ended, or belongs to another caller. list_sessions shows yours."};
    if (was_closed(key)) return closed_error(key.name);
    if (!is_isolated(key, {}))
        error.hint =
            "Sessions end with the server here, since they work in a window, a profile, a shared "
            "context or an attached browser. Headless servers without these keep them.";
    else if (!checkpoints_->is_lasting())
        error.hint = "Sessions end with the server when it runs without a record. list_sessions shows yours.";
    else if (is_of_connection(key))
        error.hint +=
            " Where clients are not told apart by tokens or a loopback address, only ids that "
            "create_session or list_sessions gave can be resumed, not names.";
    return error;
}

std::string Sessions::resume_id(const Entry& entry) {
    return entry.id.starts_with(kPublic) ? entry.id.substr(kPublic.size()) : "";
}

// Whether a session has its own context in memory, in a headless browser. Others have a window or a profile,
// which people expect to stay as they left it.
bool Sessions::is_isolated(const SessionKey& key, const SessionSetup& setup) const {
    const browsers::PoolOptions& pool = options_.pool;
    if (!pool.launch.headless || !pool.connect.endpoint.empty() || pool.shared_context) return false;
    if (pool.isolation == browsers::Isolation::Shared) return false;
    return pool.isolation != browsers::Isolation::Profile || setup.isolation || !key.name.empty();
}

// A connection's own session cannot be resumed after it, unless clients can learn its id.
bool Sessions::keeps_checkpoints(const SessionKey& key, const SessionSetup& setup,
                                 std::string_view id) const {
    return is_isolated(key, setup) && (options_.resumable || !id.starts_with(kPublic));
}

Persistence Sessions::persistence_for(const SessionKey& key, const std::string& id) {
    const SessionSetup& setup = sessions_.at(key).setup;
    bool isolated = is_isolated(key, setup);
    bool is_public = id.starts_with(kPublic);
    bool can_be_asked_for = keeps_checkpoints(key, setup, id);
    const browsers::PoolOptions& pool = options_.pool;
    // A session with a profile is alone in it, too; one of several in a context could not restore its part
    // without the others'.
    bool shared = pool.shared_context || pool.isolation == browsers::Isolation::Shared;
    return {.checkpoints = can_be_asked_for ? checkpoints_ : crash_checkpoints_,
            .id = id,
            .hibernates = isolated,
            .survives_crashes = pool.launch.headless && pool.connect.endpoint.empty() && !shared,
            .may_be_there = can_be_asked_for && (!is_public || id == std::string(kPublic) + key.name),
            .is_calm = [this] { return pool_->is_calm(); },
            .on_checkpoint = [this, id] { log_.debug("checkpoint", {{"session", id}}); },
            .on_change = [this, id](store::SessionState state) { notify_state(id, state); },
            .setup =
                [this, id] {
                    Entry* entry = find_by_id(id);
                    return entry ? to_json(entry->setup) : json::object();
                },
            .take_setup =
                [this, id](const json::object& kept) {
                    Entry* entry = find_by_id(id);
                    if (!entry) return;
                    take(entry->setup, kept, options_.session.budget);
                    if (entry->setup.budget) entry->session->set_budget(*entry->setup.budget);
                }};
}

void Sessions::notify_state(const std::string& id, store::SessionState state) {
    if (!options_.changed) return;
    auto it = sessions_.find_id(id);
    if (it != sessions_.end()) options_.changed(it->first, state);
}

Sessions::Entry* Sessions::find_by_id(const std::string& id) {
    auto it = sessions_.find_id(id);
    return it == sessions_.end() ? nullptr : &it->second;
}

Sessions::Entry& Sessions::rename(Table::iterator session, SessionKey key) {
    Entry& entry = sessions_.rename(session, std::move(key));
    entry.orphaned = false;
    *entry.identity = identity_of(*entry.key, entry.setup);
    return entry;
}

Task<bool> Sessions::can_replace_stand_in(SessionKey key) {
    std::string kept_as = stable_id(key);
    const Entry* own = find(key);
    if (is_of_connection(key) || own->id == kept_as || resume_id(*own).empty()) co_return false;
    if (!keeps_checkpoints(key, {}, kept_as) || checkpoints_->lease_holder(kept_as) != 0) co_return false;
    auto state = co_await as_result(checkpoints_->load(kept_as));
    co_return state && *state&& may_resume(key.owner, principal_of_state(**state));
}

Task<std::shared_ptr<Session>> Sessions::resume(std::string owner, std::string id, SessionSetup setup) {
    const SessionKey key{owner, id};
    std::string note;
    if (const Entry* own = find(key)) {
        auto session = own->session;
        bool replaces = co_await can_replace_stand_in(key);
        auto it = sessions_.find(key);
        if (!replaces || it == sessions_.end() || it->second.session != session) co_return session;
        std::string new_name = resume_id(it->second);
        note =
            "What this server had under the name \"" + id + "\" until now is session \"" + new_name + "\".";
        rename(it, {owner, new_name});
    }
    std::string kept_as = stable_id(key);
    if (!is_of_connection(key) || is_uuid(id)) {
        auto it = sessions_.find_id(kept_as);
        if (it == sessions_.end()) it = sessions_.find_id(std::string(kPublic) + id);
        if (it != sessions_.end()) {
            bool is_own = it->first.owner == owner;
            bool nobody_has_it =
                it->second.orphaned || (options_.is_absent && options_.is_absent(it->first.owner));
            if (!is_own && !(nobody_has_it && may_resume(owner, it->second.setup.principal)))
                co_await not_found({owner, id});
            if (is_own) co_return it->second.session;
            co_return rename(it, key).session;
        }
        for (const std::string& each : {kept_as, std::string(kPublic) + id}) {
            if (!is_uuid(id) && each != kept_as) continue;
            // Where sessions are not saved, the state that another kind of server saved cannot be restored.
            if (!keeps_checkpoints({owner, id}, {}, each)) continue;
            if (pid_t holder = checkpoints_->lease_holder(each); holder != 0) co_await in_use(id, holder);
            auto state = co_await as_result(checkpoints_->load(each));
            if (!state || !*state || !may_resume(owner, principal_of_state(**state))) continue;
            auto made = co_await session({owner, id}, setup);
            Entry& entry = sessions_.at({owner, id});
            if (entry.id != each) {
                entry.lease = checkpoints_->lease(each);
                if (!entry.lease) {
                    sessions_.erase(sessions_.find({owner, id}));
                    co_await in_use(id, checkpoints_->lease_holder(each));
                }
                sessions_.set_id(sessions_.find({owner, id}), each);
                made->set_persistence(persistence_for({owner, id}, each));
            }
            if (!note.empty()) made->add_note(std::move(note));
            co_return made;
        }
    }
    co_await not_found({owner, id});
    co_return nullptr;
}

Task<std::vector<Sessions::Earlier>> Sessions::list_earlier(std::string owner) {
    std::vector<Earlier> earlier;
    if (owner.starts_with(kConnection)) co_return earlier;
    std::string prefix = stable_id({owner, ""});
    for (const std::string& id : co_await checkpoints_->ids()) {
        if (!id.starts_with(prefix) || find({owner, id.substr(prefix.size())})) continue;
        earlier.push_back({id.substr(prefix.size()), checkpoints_->lease_holder(id)});
    }
    co_return earlier;
}

Task<bool> Sessions::forget_earlier(SessionKey key) {
    if (is_of_connection(key) && !is_uuid(key.name)) co_return false;
    std::string id = stable_id(key);
    if (find_by_id(id) || !co_await checkpoints_->load(id)) co_return false;
    auto lease = checkpoints_->lease(id);
    if (!lease) co_await in_use(key.name, checkpoints_->lease_holder(id));
    checkpoints_->forget(id);
    co_return true;
}

Sessions::Lifetime Sessions::lifetime(const Entry& entry) const {
    const Persistence& persistence = entry.session->persistence();
    return {
        .hibernates_after = persistence.hibernates ? options_.hibernate_after : std::chrono::milliseconds(0),
        // Named sessions of the user or of an authenticated principal stay for the next connection.
        .ends_with_connection = persistence.checkpoints != checkpoints_ && entry.id.starts_with(kPublic)};
}

std::size_t Sessions::live_count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        sessions_, [](const auto& each) { return each.second.session->has_browser(); }));
}

// The work that hibernating now may end, to make room for another session; nothing when this one is to stay.
// A working agent calls again soon, and the work of its last call may take its time, but not until the
// waiting caller gives up.
std::optional<Session::MayEnd> Sessions::may_end_for_room(const Session& session) const {
    using enum Session::MayEnd;
    auto max_wait = options_.pool.admission.queue_timeout / 2;
    auto idle = options_.clock() - session.last_use();
    if (idle < std::min(options_.min_stay, max_wait)) return std::nullopt;
    if (!session.has_page_work()) return session.can_hibernate() ? std::optional(Nothing) : std::nullopt;
    bool had_time = idle >= std::max<std::chrono::milliseconds>(max_wait, kMinPageWork);
    return had_time && session.can_hibernate(PageWork) ? std::optional(PageWork) : std::nullopt;
}

Task<bool> Sessions::hibernate_one() {
    struct Idle {
        Session::MayEnd may_end;
        Session::Clock::time_point since;
        std::shared_ptr<Session> session;
    };
    std::vector<Idle> idle;
    for (const auto& [key, entry] : sessions_) {
        if (auto may_end = may_end_for_room(*entry.session))
            idle.push_back({*may_end, entry.session->last_use(), entry.session});
    }
    std::ranges::sort(idle, {}, [](const Idle& each) { return std::pair(each.may_end, each.since); });
    for (const Idle& each : idle) {
        auto slept = co_await as_result(each.session->hibernate(each.may_end));
        if (slept && *slept) co_return true;
    }
    co_return co_await hibernate_longest_awake();
}

// Agents that call without a pause would never be idle for min_stay: waiting callers take turns with them.
// Sessions with a running call come last and only for a moment, since it may take long.
Task<bool> Sessions::hibernate_longest_awake() {
    // The more callers wait for each slot, the shorter the turns: all of them get one before they give up.
    browsers::Occupancy occupancy = pool_->occupancy();
    auto per_slot = static_cast<int>(occupancy.waiting / std::max<std::size_t>(occupancy.live, 1) + 1);
    auto stay = std::min(options_.max_stay, options_.pool.admission.queue_timeout / (4 * per_slot));
    std::vector<std::shared_ptr<Session>> candidates;
    for (const auto& [key, entry] : sessions_) {
        const Session& session = *entry.session;
        if (session.has_browser() && options_.clock() - session.awake_since() >= stay)
            candidates.push_back(entry.session);
    }
    std::ranges::sort(candidates, {},
                      [](const auto& each) { return std::pair(each->is_busy(), each->awake_since()); });
    for (const auto& each : candidates) {
        auto slept = co_await as_result(each->hibernate_after_call(Deadline::in(kCallEnd)));
        if (slept && *slept) co_return true;
    }
    co_return false;
}

Task<> Sessions::put_away(std::shared_ptr<Session> session) {
    auto slept = co_await as_result(session->hibernate(Session::MayEnd::Recordings));
    // A session that is asleep or was never used has nothing to give back. Its earlier checkpoint stays.
    if ((!slept || !*slept) && session->has_browser()) co_await session->drop_browser();
    auto it = sessions_.find_id(session->persistence().id);
    if (it == sessions_.end() || it->second.session != session || !it->second.orphaned) co_return;
    // A session without a browser has left nothing.
    if (session->life() == Session::Life::Awake && options_.changed)
        options_.changed(it->first, store::SessionState::Closed);
    sessions_.erase(it);
}

void Sessions::end_owner(const std::string& owner, Leave how) {
    bool waits = false;
    for (auto it = sessions_.lower_bound({owner, ""}); it != sessions_.end() && it->first.owner == owner;) {
        bool can_wait = it->second.session->persistence().checkpoints == checkpoints_;
        bool grace_left = how == Leave::Lost && options_.grace.count() > 0;
        if (can_wait && (grace_left || how == Leave::Expired)) {
            it->second.orphaned = waits = true;
            ++it;
            continue;
        }
        it = end(it);
    }
    if (!waits) return;
    if (how == Leave::Expired) return end_orphans(owner);
    auto [timer, made] = graces_.try_emplace(owner, loop_);
    timer->second.start(options_.grace, [this, owner] { end_orphans(owner); });
}

void Sessions::end_orphans(const std::string& owner) {
    std::vector<std::shared_ptr<Session>> asleep;
    for (auto it = sessions_.lower_bound({owner, ""}); it != sessions_.end() && it->first.owner == owner;) {
        // It must be found until it sleeps: its saved state includes its setup.
        if (!it->first.name.empty()) {
            asleep.push_back((it++)->second.session);
            continue;
        }
        it = end(it);
    }
    graces_.erase(owner);
    for (auto& session : asleep) background_.add(put_away(std::move(session)));
}

// Saves all sessions at once, within their time; not if only memory would keep them.
Task<> Sessions::checkpoint_all() {
    if (!checkpoints_->is_lasting()) co_return;
    std::vector<Task<>> checkpoints;
    for (const auto& [key, entry] : sessions_) {
        if (entry.session->persistence().checkpoints == checkpoints_ && entry.session->has_browser())
            checkpoints.push_back(entry.session->checkpoint());
    }
    (void)co_await as_result(with_deadline(loop_, when_all(loop_, std::move(checkpoints)),
                                           Deadline::in(kLastCheckpoints), "Saving the sessions"));
}

// An attached browser goes on without us: nobody else would close the tabs that sessions opened there.
Task<> Sessions::close_own_tabs() {
    if (!pool_->attaches()) co_return;
    Deadline deadline = Deadline::in(kLastTabs);
    std::vector<std::shared_ptr<browsers::ContextLease>> contexts;
    std::vector<Task<>> closing;
    for (const auto& [key, entry] : sessions_) {
        auto context = entry.session->tabs_context();
        if (!context || context->is_lost()) continue;
        closing.push_back(context->close(deadline));
        contexts.push_back(std::move(context));
    }
    (void)co_await as_result(
        with_deadline(loop_, when_all(loop_, std::move(closing)), deadline, "Closing the sessions' tabs"));
}

}  // namespace session
