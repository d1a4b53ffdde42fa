#include "store/state_import.h"

#include <algorithm>
#include <vector>

#include "store/database_files.h"
#include "store/sealed_state.h"

namespace store {
namespace {

struct SavedState {
    std::string session_id;
    std::string sealed;
    std::int64_t timestamp;
};

std::filesystem::path key_of(const SealedRecord& record) {
    return record.key_file.empty() ? std::filesystem::path(record.database.string() + ".key")
                                   : record.key_file;
}

Result<std::vector<SavedState>> read_states(Database& db, std::int64_t since) {
    std::vector<SavedState> states;
    Query query =
        TRY(db.query("SELECT session_id, sealed, timestamp FROM session_states "
                     "WHERE timestamp > ?1 ORDER BY timestamp"));
    query.bind(since);
    while (TRY(query.step()))
        states.push_back({std::string(query.text(0)), std::string(query.text(1)), query.integer(2)});
    return states;
}

Result<std::int64_t> imported_until(Database& db, const std::string& file) {
    Query query = TRY(db.query("SELECT until FROM imported_states WHERE file = ?1"));
    if (!TRY(query.bind(file).step())) return -1;
    return query.integer(0);
}

Result<void> write_states(Database& db, const std::vector<SavedState>& states, const std::string& file) {
    std::int64_t until = 0;
    for (const SavedState& state : states) {
        Query query = TRY(db.query(R"(
INSERT INTO session_states (session_id, sealed, timestamp) VALUES (?1, ?2, ?3)
ON CONFLICT (session_id) DO UPDATE SET sealed = ?2, timestamp = ?3 WHERE timestamp < ?3)"));
        TRY(query.bind(state.session_id, Bytes{state.sealed}, state.timestamp).run());
        until = std::max(until, state.timestamp);
    }
    Query query = TRY(db.query(R"(
INSERT INTO imported_states (file, until) VALUES (?1, ?2) ON CONFLICT (file) DO UPDATE SET until = max(until, ?2))"));
    return query.bind(file, until).run();
}

}  // namespace

Result<std::size_t> import_states(const SealedRecord& into, const SealedRecord& from) {
    std::unique_ptr<Database> source = TRY(open_for_reading(from.database));
    std::unique_ptr<Database> db = TRY(Database::open(into.database, Database::Access::ReadWrite));
    db->leave_log();
    std::string file = resolved(from.database).string();
    auto until = TRY(imported_until(*db, file));
    std::vector<SavedState> states = TRY(read_states(*source, until));
    if (states.empty()) return 0;
    StateKey old_key = TRY(StateKey::load_or_create(key_of(from)));
    StateKey key = TRY(StateKey::load_or_create(key_of(into)));
    std::vector<SavedState> sealed_anew;
    for (SavedState& state : states) {
        // A state that cannot be opened is lost in `from`, too.
        auto plain = old_key.open(state.session_id, state.sealed);
        if (plain)
            sealed_anew.push_back({state.session_id, key.seal(state.session_id, *plain), state.timestamp});
    }
    TRY(db->execute("BEGIN IMMEDIATE"));
    Result<void> written = write_states(*db, sealed_anew, file);
    if (written) written = db->execute("COMMIT");
    if (!written) {
        db->roll_back();
        return written.error();
    }
    return sealed_anew.size();
}

}  // namespace store
