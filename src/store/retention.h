// Keeps the record within its age and size: removes the oldest calls first, but none of live sessions or of
// sessions that another server may have.
#pragma once

#include <functional>

#include "store/options.h"
#include "store/record_writer.h"

namespace store {

// Removes in small steps between commits. Belongs to the writer.
class Retention {
public:
    Retention(Database& db, BlobWriter& blobs, const LiveSessions& live, const Options& options)
        : db_(db), blobs_(blobs), live_(live), options_(options) {}

    // Sets the check for other servers that write this record. Without it there are none.
    void set_has_company(std::function<bool()> has_company) { has_company_ = std::move(has_company); }
    // Takes one step of a few milliseconds, in a transaction of its own. True: there is more to remove.
    Result<bool> step();

    std::uint64_t database_bytes() const { return bytes_; }
    // Too large, with nothing left to remove.
    bool over_limit() const { return over_limit_; }

private:
    Result<bool> remove_some();
    Result<bool> remove_oldest(bool by_age, Time before);
    Result<void> remove_call(std::int64_t id);
    Result<void> unindex(std::int64_t id);
    Result<void> remove_sessions(Time before);
    Result<void> remember_purged(std::string_view ref_id);
    Result<void> measure();
    Result<bool> may_be_anothers(const std::string& session_id);
    Result<std::string> column_text(Query& query, int column);

    Database& db_;
    BlobWriter& blobs_;
    const LiveSessions& live_;
    const Options& options_;
    Compressor compressor_;
    std::function<bool()> has_company_;
    std::uint64_t bytes_ = 0;
    bool over_limit_ = false;
    bool shrinking_ = false;
    // All older calls belong to live sessions; reset when a session has ended.
    std::int64_t passed_id_ = 0;
    std::int64_t passed_time_ = 0;
    int ended_ = 0;
    std::optional<std::int64_t> purged_count_;
    Time swept_{};
    bool unswept_ = true;
};

}  // namespace store
