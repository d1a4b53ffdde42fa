// Sessions that outlive their browser, their connection or the server.
#include <algorithm>

#include "session/sessions.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace session {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kConnection = "connection ", kPrincipal = "principal ", kPublic = "id ",
                           kName = "name ";
// Of the five seconds that a shutdown may take.
constexpr auto kLastCheckpoints = 2s;

Error not_found(const std::string& id) {
    return Error{.code = ErrorCode::SessionNotFound,
                 .message = "There is no session \"" + id + "\" to resume.",
                 .hint = "It ended, or is somebody else's. list_sessions shows yours."};
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
    return std::string(kPublic) + (is_uuid(key.name) ? key.name : random_uuid());
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

Keeping Sessions::keeping_for(const SessionKey& key, const std::string& id) {
    const SessionSetup& setup = sessions_.at(key).setup;
    bool isolated = is_isolated(key, setup);
    // A connection's own session is nobody's when that is gone, unless its id can be learned.
    bool is_public = id.starts_with(kPublic);
    bool can_be_asked_for = isolated && (options_.resumable || !is_public);
    const PoolOptions& pool = options_.pool;
    // A profile is one session's, too; of a context that several share, none could restore its part without
    // the others'.
    bool shared = pool.shared_context || pool.isolation == Isolation::Shared;
    return {.vault = can_be_asked_for ? vault_ : crash_memory_,
            .id = id,
            .hibernates = isolated,
            .survives_crashes = pool.launch.headless && pool.connect.endpoint.empty() && !shared,
            .may_be_there = can_be_asked_for && (!is_public || is_uuid(key.name)),
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

Task<std::shared_ptr<Session>> Sessions::resume(std::string owner, std::string id) {
    if (const Entry* own = find({owner, id})) co_return own->session;
    std::string kept_as = stable_id({owner, id});
    if (!owner.starts_with(kConnection) || is_uuid(id)) {
        auto it = std::ranges::find_if(sessions_, [&](const auto& each) {
            return each.second.id == kept_as || each.second.id == std::string(kPublic) + id;
        });
        if (it != sessions_.end()) {
            bool is_own = it->first.owner == owner;
            if (!is_own && !(it->second.orphaned && may_resume(owner, it->second.setup.principal)))
                co_await not_found(id);
            if (is_own) co_return it->second.session;
            auto node = sessions_.extract(it);
            node.key() = {owner, id};
            node.mapped().orphaned = false;
            *node.mapped().holder = holder_of(node.key(), node.mapped().setup);
            co_return sessions_.insert(std::move(node)).position->second.session;
        }
        for (const std::string& each : {kept_as, std::string(kPublic) + id}) {
            if (!is_uuid(id) && each != kept_as) continue;
            auto state = co_await as_result(vault_->load(each));
            if (!state || !*state || !may_resume(owner, principal_of_state(**state))) continue;
            auto made = co_await session({owner, id});
            Entry& entry = sessions_.at({owner, id});
            if (entry.id != each) {
                entry.id = each;
                made->keep(keeping_for({owner, id}, each));
            }
            co_return made;
        }
    }
    co_await not_found(id);
    co_return nullptr;
}

Task<std::vector<std::string>> Sessions::list_earlier(std::string owner) {
    std::vector<std::string> names;
    if (owner.starts_with(kConnection)) co_return names;
    std::string prefix = stable_id({owner, ""});
    for (const std::string& id : co_await vault_->ids()) {
        if (id.starts_with(prefix) && !find({owner, id.substr(prefix.size())}))
            names.push_back(id.substr(prefix.size()));
    }
    co_return names;
}

Task<bool> Sessions::forget_earlier(SessionKey key) {
    if (key.owner.starts_with(kConnection) && !is_uuid(key.name)) co_return false;
    std::string id = stable_id(key);
    if (find_by_id(id) || !co_await vault_->load(id)) co_return false;
    vault_->forget(id);
    co_return true;
}

Sessions::Lifetime Sessions::lifetime(const Entry& entry) const {
    const Keeping& keeping = entry.session->keeping();
    return {.hibernates_after = keeping.hibernates ? options_.hibernate_after : std::chrono::milliseconds(0),
            .ends_with_connection = keeping.vault != vault_};
}

std::size_t Sessions::live_count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        sessions_, [](const auto& each) { return each.second.session->has_browser(); }));
}

Task<bool> Sessions::hibernate_one() {
    std::vector<std::shared_ptr<Session>> idle;
    for (const auto& [key, entry] : sessions_) {
        if (entry.session->can_hibernate()) idle.push_back(entry.session);
    }
    std::ranges::sort(idle, {}, [](const auto& session) { return session->last_use(); });
    for (const auto& session : idle) {
        auto slept = co_await as_result(session->hibernate());
        if (slept && *slept) co_return true;
    }
    co_return false;
}

Task<> Sessions::put_away(std::shared_ptr<Session> session) {
    auto slept = co_await as_result(session->hibernate());
    // Asleep already, or never used: there is nothing to give back.
    if ((!slept || !*slept) && session->has_browser()) co_await session->close();
    std::erase_if(sessions_,
                  [&](const auto& each) { return each.second.session == session && each.second.orphaned; });
}

void Sessions::end_owner(const std::string& owner, Leave how) {
    bool waits = false;
    for (auto it = sessions_.lower_bound({owner, ""}); it != sessions_.end() && it->first.owner == owner;) {
        bool can_wait = it->second.session->keeping().vault == vault_;
        if (how == Leave::Lost && can_wait && options_.grace.count() > 0) {
            it->second.orphaned = waits = true;
            ++it;
            continue;
        }
        it = end(it);
    }
    if (!waits) return;
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
