// The record: every call, every session, kept in SQLite and read back. All servers of a user write one.
//
// Recording never waits: it queues plain structs for a writer thread, which commits them in groups within
// `commit_interval`. Other threads read; a read sees everything that was recorded before it. While the disk
// is full, read-only or gone, records wait in memory up to a limit; beyond it new ones are dropped and
// counted. health() says so. A damaged database is set aside under another name, and a new one begun.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "store/content.h"
#include "store/history.h"
#include "store/options.h"
#include "util/async.h"

namespace store {

class Readers;
class SessionLeases;
class Writer;

// Lives on the main loop. Its destructor commits and flushes pending records.
class Store {
public:
    // Several servers may have it open. Fails if the database is a newer version's or another program's, or
    // in use by a server of an earlier version, which does not share it. With any other error the store
    // begins degraded and keeps trying.
    static Result<std::unique_ptr<Store>> open(Loop& loop, Options options);
    ~Store();

    void record(SessionRecord record);
    void record(RequestRecord record);
    // Its request must have been recorded before.
    void record(ResponseRecord record);
    // The same, for store.durability=full: completes when it is on disk, or fails at once when the store is
    // degraded.
    Task<> record_durably(ResponseRecord record);

    Health health() const;

    Task<std::vector<CallSummary>> history(HistoryQuery query);
    Task<std::vector<SessionInfo>> sessions();
    Task<std::optional<SessionInfo>> session(std::string session_id);
    // By ref: the NotFound error distinguishes an unknown ref from one past retention. Gives another server
    // of this record, if there is one, a moment to commit it.
    Task<CallSummary> summary(std::string ref_id);
    // The calls whose refs begin with `ref_prefix`; finding none is no error.
    Task<std::vector<CallSummary>> find_calls(std::string ref_prefix);
    Task<Call> call(std::string ref_id);
    Task<std::optional<std::string>> snapshot(std::string ref_id);
    Task<std::vector<ConsoleMessage>> console(std::string ref_id, Level at_least = Level::Debug);
    // The ref of the session's call with this request id.
    Task<std::optional<std::string>> find_request(std::string session_id, std::string request_id);

    // The content that a reader has not seen yet; moves its cursor. See content.h.
    Task<Content> read_content(ContentQuery query);
    // The difference between the snapshots of two calls, for people and agents; empty when there is none.
    Task<std::string> diff(std::string from_ref, std::string to_ref);

    Task<std::optional<Cursor>> cursor(std::string reader, std::string ref_id);
    Task<std::optional<Cursor>> last_cursor(std::string reader, std::string page_key);
    void advance(Cursor cursor);

    // Saves the state from which a session is restored, sealed with the key file. Completes when it is on
    // disk.
    Task<> save_state(std::string session_id, std::string state);
    // Unset: none was saved. Fails when it was saved with another key or changed since.
    Task<std::optional<std::string>> load_state(std::string session_id);
    void forget_state(std::string session_id);
    // The ids of sessions with a saved state.
    Task<std::vector<std::string>> states();

    // Reserves a session for one of the servers that write this record, until the last copy of the result is
    // dropped or the process ends. Null while another server has it.
    std::shared_ptr<void> lease(const std::string& session_id);
    // The process id of another server that has it; 0: none.
    pid_t lease_holder(const std::string& session_id) const;
    const std::filesystem::path& path() const { return options_.path; }

private:
    Store(Loop& loop, Options options);

    template <class T, class Read>
    Task<T> read(Read read);
    template <class Record>
    void stamp(Record& record) const;

    Loop& loop_;
    Options options_;
    std::shared_ptr<Store*> self_;  // cleared when the store ends, for what is still posted to the loop
    std::unique_ptr<Writer> writer_;
    std::unique_ptr<Readers> readers_;
    std::shared_ptr<SessionLeases> leases_;  // null if their file cannot be opened
};

}  // namespace store
