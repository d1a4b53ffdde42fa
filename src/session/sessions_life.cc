// Sessions that outlive their browser, their connection or the server.
#include <algorithm>

#include "session/sessions.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace session {
namespace {

using namespace std::chrono_literals;

// A dialog, a download or a navigation that is under way has so long, however little time others have to
// wait.
constexpr auto kMinPageWork = 5s;

constexpr std::string_view kConnection = "connection ", kPrincipal = "principal ", kPublic = "id ",
                           kName = "name ";
// Of the five seconds that a shutdown may take.
constexpr auto kLastCheckpoints = 2s;

Error in_use(const std::string& id, pid_t holder) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Session \"" + id + "\" is in use by another Troupe server (process " +
                            std::to_string(holder) + ").",
                 .hint = "Close it there, or end that server. Its state is kept."};
}

json::object to_json(const SessionSetup& setup) {
    json::object made;
    if (!setup.principal.empty()) made["principal"] = setup.principal;
    if (setup.isolation) made["isolation"] = static_cast<int>(*setup.isolation);
    if (!setup.user_agent.empty()) made["userAgent"] = setup.user_agent;
    if (setup.viewport) made["viewport"] = json::array{setup.viewport->width, setup.viewport->height};
    return made;
}

std::string principal_of(const json::object& kept) {
    return std::string(json::find_string(kept, "principal").value_or(""));
}

void take(SessionSetup& setup, const json::object& kept) {
    setup.principal = principal_of(kept);
    if (auto isolation = json::find_integer(kept, "isolation"))
        setup.isolation =
            *isolation == static_cast<int>(Isolation::Browser) ? Isolation::Browser : Isolation::Context;
    if (auto agent = json::find_string(kept, "userAgent")) setup.user_agent = std::string(*agent);
    if (const json::array* size = json::find_array(kept, "viewport"); size && size->size() == 2)
        setup.viewport = engine::Size{size->at(0).to_number<int>(), size->at(1).to_number<int>()};
}

// With an id alone, what somebody made who was authenticated is nobody else's.
bool may_resume(const std::string& owner, const std::string& principal) {
    return principal.empty() || owner == std::string(kPrincipal) + principal;
}

std::string principal_of_state(const std::string& text) {
    auto state = parse_checkpoint(text);
    const json::object* setup = state ? json::find_object(*state, "setup") : nullptr;
    return setup ? principal_of(*setup) : "";
}

}  // namespace

engine::Holder Sessions::holder_of(const SessionKey& key, const SessionSetup& setup) {
    bool authenticated = key.owner.starts_with(kPrincipal);
    return {.session = key.name,
            .principal = authenticated ? key.owner.substr(kPrincipal.size()) : setup.principal};
}

std::string Sessions::stable_id(const SessionKey& key) {
    if (key.owner.empty()) return std::string(kName) + key.name;
    if (!key.owner.starts_with(kConnection)) return key.owner + "\n" + key.name;
    return is_uuid(key.name) ? std::string(kPublic) + key.name : new_id();
}

std::string Sessions::new_id() { return std::string(kPublic) + random_uuid(); }

// Why what somebody asks for by name or id is not there.
Error Sessions::not_found(const SessionKey& key) const {
    Error error{.code = ErrorCode::SessionNotFound,
                .message = "There is no session \"" + key.name + "\" to resume.",
                .hint = "It ended, or is somebody else's. list_sessions shows yours."};
    if (was_closed(key)) return closed_error(key.name);
    if (!is_isolated(key, {}))
        error.hint =
            "Sessions end with the server here, since they work in a window, a profile, a shared "
            "context or somebody else's browser. Headless servers without these keep them.";
    else if (!vault_->is_lasting())
        error.hint = "Sessions end with the server when it runs without a record. list_sessions shows yours.";
    else if (key.owner.starts_with(kConnection))
        error.hint +=
            " Where clients are not told apart by tokens or a loopback address, only ids that "
            "create_session or list_sessions gave can be resumed, not names.";
    return error;
}

std::string Sessions::resume_id(const Entry& entry) {
    return entry.id.starts_with(kPublic) ? entry.id.substr(kPublic.size()) : "";
}

// Whether a session has a context in memory to itself, in a browser that nobody looks at. Others have what
// people expect to stay as they left it: a window, or a profile.
bool Sessions::is_isolated(const SessionKey& key, const SessionSetup& setup) const {
    const PoolOptions& pool = options_.pool;
    if (!pool.launch.headless || !pool.connect.endpoint.empty() || pool.shared_context) return false;
    if (pool.isolation == Isolation::Shared) return false;
    return pool.isolation != Isolation::Profile || setup.isolation || !key.name.empty();
}

// A connection's own session is nobody's when that is gone, unless its id can be learned.
bool Sessions::keeps_in_vault(const SessionKey& key, const SessionSetup& setup, std::string_view id) const {
    return is_isolated(key, setup) && (options_.resumable || !id.starts_with(kPublic));
}

Keeping Sessions::keeping_for(const SessionKey& key, const std::string& id) {
    const SessionSetup& setup = sessions_.at(key).setup;
    bool isolated = is_isolated(key, setup);
    bool is_public = id.starts_with(kPublic);
    bool can_be_asked_for = keeps_in_vault(key, setup, id);
    const PoolOptions& pool = options_.pool;
    // A profile is one session's, too; of a context that several share, none could restore its part without
    // the others'.
    bool shared = pool.shared_context || pool.isolation == Isolation::Shared;
    return {.vault = can_be_asked_for ? vault_ : crash_memory_,
            .id = id,
            .hibernates = isolated,
            .survives_crashes = pool.launch.headless && pool.connect.endpoint.empty() && !shared,
            .may_be_there = can_be_asked_for && (!is_public || id == std::string(kPublic) + key.name),
            .is_calm = [this] { return pool_->is_calm(); },
            .on_checkpoint = [this, id] { log_.debug("checkpoint", {{"session", id}}); },
            .on_change = [this, id](store::SessionState state) { tell(id, state); },
            .setup =
                [this, id] {
                    Entry* entry = find_by_id(id);
                    return entry ? to_json(entry->setup) : json::object();
                },
            .take_setup =
                [this, id](const json::object& kept) {
                    if (Entry* entry = find_by_id(id)) take(entry->setup, kept);
                }};
}

void Sessions::tell(std::string_view id, store::SessionState state) const {
    if (!options_.changed) return;
    auto it = std::ranges::find_if(sessions_, [&](const auto& each) { return each.second.id == id; });
    if (it != sessions_.end()) options_.changed(it->first, state);
}

// Most have the key that they were made with; one that was resumed may have another.
void Sessions::tell(const SessionKey& made_as, std::string_view id, const std::string& tab,
                    TabEvent event) const {
    auto it = sessions_.find(made_as);
    if (it == sessions_.end())
        it = std::ranges::find_if(sessions_, [&](const auto& each) { return each.second.id == id; });
    if (it != sessions_.end()) options_.tab_event(it->first, tab, event);
}

Sessions::Entry* Sessions::find_by_id(std::string_view id) {
    auto it = std::ranges::find_if(sessions_, [&](const auto& each) { return each.second.id == id; });
    return it == sessions_.end() ? nullptr : &it->second;
}

Task<std::shared_ptr<Session>> Sessions::resume(std::string owner, std::string id, SessionSetup setup) {
    if (const Entry* own = find({owner, id})) co_return own->session;
    std::string kept_as = stable_id({owner, id});
    if (!owner.starts_with(kConnection) || is_uuid(id)) {
        auto it = std::ranges::find_if(sessions_, [&](const auto& each) {
            return each.second.id == kept_as || each.second.id == std::string(kPublic) + id;
        });
        if (it != sessions_.end()) {
            bool is_own = it->first.owner == owner;
            bool nobody_has_it =
                it->second.orphaned || (options_.is_absent && options_.is_absent(it->first.owner));
            if (!is_own && !(nobody_has_it && may_resume(owner, it->second.setup.principal)))
                co_await not_found({owner, id});
            if (is_own) co_return it->second.session;
            auto node = sessions_.extract(it);
            node.key() = {owner, id};
            node.mapped().orphaned = false;
            *node.mapped().holder = holder_of(node.key(), node.mapped().setup);
            co_return sessions_.insert(std::move(node)).position->second.session;
        }
        for (const std::string& each : {kept_as, std::string(kPublic) + id}) {
            if (!is_uuid(id) && each != kept_as) continue;
            // What another kind of server kept cannot come back where sessions are not kept.
            if (!keeps_in_vault({owner, id}, {}, each)) continue;
            if (pid_t holder = vault_->lease_holder(each); holder != 0) co_await in_use(id, holder);
            auto state = co_await as_result(vault_->load(each));
            if (!state || !*state || !may_resume(owner, principal_of_state(**state))) continue;
            auto made = co_await session({owner, id}, setup);
            Entry& entry = sessions_.at({owner, id});
            if (entry.id != each) {
                entry.lease = vault_->lease(each);
                if (!entry.lease) {
                    sessions_.erase({owner, id});
                    co_await in_use(id, vault_->lease_holder(each));
                }
                entry.id = each;
                made->keep(keeping_for({owner, id}, each));
            }
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
    for (const std::string& id : co_await vault_->ids()) {
        if (!id.starts_with(prefix) || find({owner, id.substr(prefix.size())})) continue;
        earlier.push_back({id.substr(prefix.size()), vault_->lease_holder(id)});
    }
    co_return earlier;
}

Task<bool> Sessions::forget_earlier(SessionKey key) {
    if (key.owner.starts_with(kConnection) && !is_uuid(key.name)) co_return false;
    std::string id = stable_id(key);
    if (find_by_id(id) || !co_await vault_->load(id)) co_return false;
    auto lease = vault_->lease(id);
    if (!lease) co_await in_use(key.name, vault_->lease_holder(id));
    vault_->forget(id);
    co_return true;
}

Sessions::Lifetime Sessions::lifetime(const Entry& entry) const {
    const Keeping& keeping = entry.session->keeping();
    return {.hibernates_after = keeping.hibernates ? options_.hibernate_after : std::chrono::milliseconds(0),
            // Those with a name of the user's or of whoever was authenticated stay for the next connection.
            .ends_with_connection = keeping.vault != vault_ && entry.id.starts_with(kPublic)};
}

std::size_t Sessions::live_count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        sessions_, [](const auto& each) { return each.second.session->has_browser(); }));
}

// What hibernating now may end, to make room for another; nothing when the session is to stay. An agent that
// works calls again soon, and what its last call began may take its time; but not for so long that whoever
// waits for the room gives up.
std::optional<Session::MayEnd> Sessions::may_end_for_room(const Session& session) const {
    using enum Session::MayEnd;
    auto longest = options_.pool.admission.patience / 2;
    auto idle = options_.clock() - session.last_use();
    if (idle < std::min(options_.min_stay, longest)) return std::nullopt;
    if (!session.has_page_work()) return session.can_hibernate() ? std::optional(Nothing) : std::nullopt;
    bool had_time = idle >= std::max<std::chrono::milliseconds>(longest, kMinPageWork);
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
    co_return false;
}

Task<> Sessions::put_away(std::shared_ptr<Session> session) {
    auto slept = co_await as_result(session->hibernate(Session::MayEnd::Recordings));
    // Asleep already, or never used: there is nothing to give back. What was kept before stands.
    if ((!slept || !*slept) && session->has_browser()) co_await session->drop_browser();
    for (auto it = sessions_.begin(); it != sessions_.end();) {
        bool is_it = it->second.session == session && it->second.orphaned;
        // One that had no browser has left nothing.
        if (is_it && session->life() == Session::Life::Awake && options_.changed)
            options_.changed(it->first, store::SessionState::Closed);
        it = is_it ? sessions_.erase(it) : std::next(it);
    }
}

void Sessions::end_owner(const std::string& owner, Leave how) {
    bool waits = false;
    for (auto it = sessions_.lower_bound({owner, ""}); it != sessions_.end() && it->first.owner == owner;) {
        bool can_wait = it->second.session->keeping().vault == vault_;
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
    timer->second.expires_after(options_.grace);
    timer->second.async_wait([this, owner](boost::system::error_code error) {
        if (!error) end_orphans(owner);
    });
}

void Sessions::end_orphans(const std::string& owner) {
    std::vector<std::shared_ptr<Session>> asleep;
    for (auto it = sessions_.lower_bound({owner, ""}); it != sessions_.end() && it->first.owner == owner;) {
        // It is found until it sleeps: its state says what it was made with.
        if (!it->first.name.empty()) {
            asleep.push_back((it++)->second.session);
            continue;
        }
        it = end(it);
    }
    graces_.erase(owner);
    for (auto& session : asleep) run(put_away(std::move(session)));
}

// All at once, within their time. What only memory would keep is not worth it.
Task<> Sessions::checkpoint_all() {
    if (!vault_->is_lasting()) co_return;
    std::vector<Running> running;
    std::size_t left = 1;  // ourselves, until all have begun
    Completion<bool> done(loop_);
    for (const auto& [key, entry] : sessions_) {
        if (entry.session->keeping().vault != vault_ || !entry.session->has_browser()) continue;
        ++left;
        running.push_back(start(entry.session->checkpoint(), [&left, done](Result<void>) {
            if (--left == 0) done.set(true);
        }));
    }
    if (--left == 0) co_return;
    boost::asio::steady_timer limit(loop_, kLastCheckpoints);
    limit.async_wait([done](boost::system::error_code error) {
        if (!error) done.set(false);
    });
    co_await done;
}

}  // namespace session
