#include "store/retention.h"

#include "store/history.h"
#include "store/search_text.h"

namespace store {
namespace {

constexpr auto kMaxStep = std::chrono::milliseconds(8);
constexpr int kMaxCalls = 64;
constexpr std::int64_t kMaxPurgedRefs = 1'000'000;
constexpr std::int64_t kVacuumPages = 128;
// Another server's session is spared until it was unused for this long: that server may have died.
constexpr std::chrono::hours kSpared{24};

using Clock = std::chrono::steady_clock;

}  // namespace

Result<bool> Retention::step() {
    TRY(measure());
    db_.forget_trouble();
    TRY(db_.execute("BEGIN IMMEDIATE"));
    Result<bool> more = remove_some();
    Result<void> done = more ? db_.execute("COMMIT") : Result<void>(more.error());
    if (!done) {
        db_.roll_back();
        blobs_.forget_all();
        purged_count_.reset();
        return done.error();
    }
    if (*more) return true;
    // A little free space is soon used again.
    if (TRY(db_.number("PRAGMA freelist_count")) <= 2 * kVacuumPages) return false;
    TRY(db_.execute("PRAGMA incremental_vacuum(" + std::to_string(kVacuumPages) + ")"));
    return true;
}

Result<void> Retention::measure() {
    std::int64_t pages = TRY(db_.number("PRAGMA page_count")) - TRY(db_.number("PRAGMA freelist_count"));
    bytes_ = static_cast<std::uint64_t>(pages * TRY(db_.number("PRAGMA page_size")));
    if (options_.max_bytes == 0) return ok();
    // Once over the limit, the record shrinks to a little below it, so that not every commit removes a call.
    std::uint64_t target = options_.max_bytes - options_.max_bytes / 20;
    shrinking_ = bytes_ > (shrinking_ ? target : options_.max_bytes);
    return ok();
}

Result<bool> Retention::remove_some() {
    if (live_.ended != ended_) {
        ended_ = live_.ended;
        passed_id_ = passed_time_ = 0;
    }
    bool more = false;
    if (options_.max_age.count() > 0) {
        Time before = options_.now() - options_.max_age;
        more = TRY(remove_oldest(true, before));
        // Sessions and cursors are few and small: sweeping after their calls, and otherwise once a minute, is
        // enough.
        unswept_ = unswept_ || more || std::chrono::abs(options_.now() - swept_) >= std::chrono::minutes(1);
        if (unswept_ && !more) {
            unswept_ = false;
            swept_ = options_.now();
            TRY(remove_sessions(before));
        }
    }
    if (shrinking_) {
        bool removed = TRY(remove_oldest(false, {}));
        over_limit_ = !removed && bytes_ > options_.max_bytes;
        more = more || removed;
    } else {
        over_limit_ = false;
    }
    return more;
}

Result<bool> Retention::remove_oldest(bool by_age, Time before) {
    Clock::time_point until = Clock::now() + kMaxStep;
    std::vector<std::int64_t> ids;
    bool spared = false;
    {
        Query query = TRY(by_age ? db_.query("SELECT id, session_id, timestamp FROM requests "
                                             "WHERE timestamp >= ?1 AND timestamp < ?2 ORDER BY timestamp")
                                 : db_.query("SELECT id, session_id, timestamp FROM requests "
                                             "WHERE id > ?1 AND ?2 = ?2 ORDER BY id"));
        std::int64_t& passed = by_age ? passed_time_ : passed_id_;
        query.bind(passed, before.time_since_epoch().count());
        bool has_company = has_company_ && has_company_();
        while (ids.size() < kMaxCalls && Clock::now() < until && TRY(query.step())) {
            std::string session_id(query.text(1));
            if (live_.sessions.contains(session_id)) {
                if (ids.empty() && !spared) passed = query.integer(by_age ? 2 : 0);
                continue;
            }
            // That session's end is not reported to us: its calls are checked again.
            if (has_company && TRY(may_be_anothers(session_id))) {
                spared = true;
                continue;
            }
            ids.push_back(query.integer(0));
        }
    }
    for (std::size_t at = 0; at < ids.size(); ++at) {
        // One call may hold thousands of messages or a large text; each step removes at least one.
        if (at > 0 && Clock::now() >= until) break;
        TRY(remove_call(ids[at]));
    }
    // Spared calls are checked again later, not at once.
    return !ids.empty() || (!spared && Clock::now() >= until);
}

Result<bool> Retention::may_be_anothers(const std::string& session_id) {
    Query query =
        TRY(db_.query("SELECT 1 FROM sessions WHERE session_id = ?1 AND state IN ('active', 'hibernated') "
                      "AND last_activity >= ?2"));
    return query.bind(session_id, (options_.now() - kSpared).time_since_epoch().count()).step();
}

Result<std::string> Retention::column_text(Query& query, int column) {
    if (query.is_integer(column)) return read_blob(db_, compressor_, query.integer(column));
    return std::string(query.text(column));
}

// The index stores no texts: removing one takes exactly the text that was added.
Result<void> Retention::unindex(std::int64_t id) {
    std::string document;
    {
        Query query = TRY(db_.query(R"(
SELECT tool_name, params, page_url, page_title, error_message, search_text, page_snapshot
FROM requests JOIN responses USING (id) WHERE id = ?1)"));
        if (!TRY(query.bind(id).step())) return ok();
        std::string params = TRY(column_text(query, 1));
        std::string content = TRY(query.is_integer(5) ? column_text(query, 6) : column_text(query, 5));
        document = search_document({.tool_name = query.text(0),
                                    .params = params,
                                    .page_url = query.text(2),
                                    .page_title = query.text(3),
                                    .error_message = query.text(4),
                                    .content = content});
    }
    Query remove =
        TRY(db_.query("INSERT INTO history_text (history_text, rowid, text) VALUES ('delete', ?1, ?2)"));
    return remove.bind(id, document).run();
}

Result<void> Retention::remove_call(std::int64_t id) {
    TRY(unindex(id));
    std::string ref_id;
    std::vector<std::int64_t> blobs;
    {
        Query query =
            TRY(db_.query("SELECT ref_id, params, result, page_snapshot, network "
                          "FROM requests LEFT JOIN responses USING (id, ref_id) WHERE id = ?1"));
        if (!TRY(query.bind(id).step())) return ok();
        ref_id = query.text(0);
        for (int column : {1, 2, 3, 4}) {
            if (query.is_integer(column)) blobs.push_back(query.integer(column));
        }
    }
    for (std::string_view sql :
         {"DELETE FROM requests WHERE id = ?1", "DELETE FROM responses WHERE id = ?1",
          "DELETE FROM console_logs WHERE id BETWEEN ?1 * 65536 AND ?1 * 65536 + 65535"}) {
        Query remove = TRY(db_.query(sql));
        TRY(remove.bind(id).run());
    }
    for (std::int64_t blob : blobs) TRY(blobs_.release(blob));
    return remember_purged(ref_id);
}

Result<void> Retention::remember_purged(std::string_view ref_id) {
    if (!purged_count_) purged_count_ = TRY(db_.number("SELECT count(*) FROM purged_refs"));
    std::int64_t day = std::chrono::floor<std::chrono::days>(options_.now()).time_since_epoch().count();
    Query query = TRY(db_.query("INSERT OR IGNORE INTO purged_refs (ref, day) VALUES (?1, ?2)"));
    TRY(query.bind(short_ref(ref_id), day).run());
    if (++*purged_count_ > kMaxPurgedRefs) {
        Query oldest =
            TRY(db_.query("DELETE FROM purged_refs WHERE ref IN (SELECT ref FROM purged_refs "
                          "ORDER BY day LIMIT 10000)"));
        TRY(oldest.run());
        purged_count_.reset();
    }
    return ok();
}

Result<void> Retention::remove_sessions(Time before) {
    std::vector<std::string> gone;
    {
        Query query = TRY(
            db_.query("SELECT session_id FROM sessions WHERE last_activity < ?1 AND NOT EXISTS "
                      "(SELECT 1 FROM requests WHERE requests.session_id = sessions.session_id) LIMIT 100"));
        query.bind(before.time_since_epoch().count());
        while (TRY(query.step())) gone.emplace_back(query.text(0));
    }
    for (const std::string& session_id : gone) {
        if (live_.sessions.contains(session_id)) continue;
        if (has_company_ && has_company_() && TRY(may_be_anothers(session_id))) continue;
        for (std::string_view sql : {"DELETE FROM sessions WHERE session_id = ?1",
                                     "DELETE FROM session_states WHERE session_id = ?1"}) {
            Query remove = TRY(db_.query(sql));
            TRY(remove.bind(session_id).run());
        }
    }
    Query states = TRY(db_.query("DELETE FROM session_states WHERE timestamp < ?1"));
    TRY(states.bind(before.time_since_epoch().count()).run());
    Query cursors = TRY(db_.query("DELETE FROM diff_cursors WHERE last_read < ?1"));
    return cursors.bind(before.time_since_epoch().count()).run();
}

}  // namespace store
