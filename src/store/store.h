// The record: every call, every session, kept in SQLite and read back. All servers of a user write one.
//
// Recording never waits: it queues plain structs for a writer thread, which commits them in groups within
// `commit_interval`. Reading is done by other threads; what was recorded before a read was asked for is seen
// by it. While the disk is full, read-only or gone, records wait in memory up to a limit; beyond it new ones
// are dropped and counted. health() says so. A damaged database is set aside under another name, and a new
// one begun.
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

// Lives on the main loop. Its end commits and flushes what is pending.
class Store {
public:
    // Several servers may have it open. Fails if the database is a newer version's or another program's, or
    // in use by a server of an earlier version, which shares it with nobody. With any other trouble the store
    // begins degraded and keeps trying.
    static Result<std::unique_ptr<Store>> open(Loop& loop, Options options);
    ~Store();

    void record(SessionRecord record);
    void record(RequestRecord record);
    // Its request must have been recorded before.
    void record(ResponseRecord record);
    // The same, for store.durability=full: ends when it is on disk, or with an error at once when the store
    // is degraded.
    Task<> record_durably(ResponseRecord record);

    Health health() const;

    Task<std::vector<CallSummary>> history(HistoryQuery query);
    Task<std::vector<SessionInfo>> sessions();
    Task<std::optional<SessionInfo>> session(std::string session_id);
    // By ref: NotFound tells a ref that is past retention from one that never was.
    Task<CallSummary> summary(std::string ref_id);
    Task<Call> call(std::string ref_id);
    Task<std::optional<std::string>> snapshot(std::string ref_id);
    Task<std::vector<ConsoleMessage>> console(std::string ref_id, Level at_least = Level::Debug);
    // The ref of the call that this session made under the caller's own name for it.
    Task<std::optional<std::string>> find_request(std::string session_id, std::string request_id);

    // What a reader has not seen yet; moves its cursor. See content.h.
    Task<Content> read_content(ContentQuery query);
    // The difference between the snapshots of two calls, for people and agents; empty when there is none.
    Task<std::string> diff(std::string from_ref, std::string to_ref);

    Task<std::optional<Cursor>> cursor(std::string reader, std::string ref_id);
    Task<std::optional<Cursor>> last_cursor(std::string reader, std::string page_key);
    void advance(Cursor cursor);

    // What a session needs to come back, sealed with the key file. Ends when it is on disk.
    Task<> save_state(std::string session_id, std::string state);
    // Unset: none was saved. Fails when it was saved with another key or changed since.
    Task<std::optional<std::string>> load_state(std::string session_id);
    void forget_state(std::string session_id);
    // Whose state was saved.
    Task<std::vector<std::string>> states();

    // Of the servers that write this record, only one has a session at a time: until the last copy of what
    // this gives is dropped, or the process ends. Null while another one has it.
    std::shared_ptr<void> lease(const std::string& session_id);
    // The process of the server that has it, unless that is this one; 0: nobody else has.
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
    std::shared_ptr<SessionLeases> leases_;  // null where there is no file to be had for them
};

}  // namespace store
