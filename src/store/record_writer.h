// Writes queued operations into the tables. Belongs to the writer thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "store/blobs.h"
#include "store/database.h"
#include "store/records.h"
#include "store/sealed_state.h"

namespace store {

// A session's state, to be sealed; unset: to be forgotten.
struct StateRecord {
    std::string session_id;
    std::optional<std::string> state;
    Time timestamp = kNow;
};

using Operation = std::variant<SessionRecord, RequestRecord, ResponseRecord, Cursor, StateRecord>;

// Sessions that were used since this server began and have not ended. Never subject to retention.
struct LiveSessions {
    std::unordered_set<std::string> sessions;
    int ended = 0;  // number of formerly live ones
};

class RecordWriter {
public:
    // `server` is this one's id for LiveServers.
    RecordWriter(Database& db, LiveSessions& live, std::filesystem::path key_file, std::string server)
        : db_(db), live_(live), blobs_(db), key_file_(std::move(key_file)), server_(std::move(server)) {}

    // Call inside a transaction. An operation that fails leaves nothing behind.
    Result<void> apply(const Operation& operation);
    // Call before the transaction is committed.
    Result<void> finish();
    // Call after it was rolled back.
    void forget_all();

    BlobWriter& blobs() { return blobs_; }

private:
    struct OpenCall {
        std::int64_t id;
        std::string session_id, tool_name, params;
    };

    Result<void> write(const SessionRecord& record);
    Result<void> write(const RequestRecord& record);
    Result<void> write(const ResponseRecord& record);
    Result<void> write(const Cursor& cursor);
    Result<void> write(const StateRecord& record);
    Result<void> write_console(const ResponseRecord& record, std::int64_t call);
    Result<OpenCall> find_call(const std::string& ref_id);
    Result<void> complete(OpenCall& call, const std::string& params);
    Result<void> touch(const std::string& session_id, Time at);

    Database& db_;
    LiveSessions& live_;
    BlobWriter blobs_;
    std::filesystem::path key_file_;
    std::string server_;
    std::optional<StateKey> key_;
    std::unordered_map<std::string, OpenCall> open_calls_;  // by ref_id
    std::unordered_map<std::string, Time> touched_;         // sessions, in this transaction
};

}  // namespace store
