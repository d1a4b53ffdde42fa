#include "store/content.h"

#include "store/database.h"
#include "store/diff.h"
#include "util/crypto.h"

namespace store {
namespace {

Result<std::string> snapshot_of(const Call& call) {
    if (call.page_snapshot) return *call.page_snapshot;
    return Error{
        .code = ErrorCode::NotFound,
        .message = "Call " + call.summary.ref_id + " (" + call.summary.tool_name + ") has no page snapshot.",
        .hint = "Take one with browser_snapshot."};
}

bool is_missing(const Error& error) { return error.code == ErrorCode::NotFound; }

// The snapshot to compare with, and its ref; unset: the whole snapshot is wanted.
struct Earlier {
    std::string ref_id;
    std::string snapshot;
};

Result<std::optional<Earlier>> find_earlier(Database& db, const ContentQuery& query, const Cursor& now) {
    if (query.reset_cursor) return std::optional<Earlier>();
    if (!query.since.empty() && query.since != "last") {
        Call call = TRY(read_call(db, query.since));
        return std::optional(Earlier{query.since, TRY(snapshot_of(call))});
    }
    bool of_page = query.since == "last";
    std::optional<Cursor> cursor = TRY(of_page ? find_last_cursor(db, query.reader, now.page_key)
                                               : find_cursor(db, query.reader, query.ref_id));
    if (!cursor) return std::optional<Earlier>();
    Result<std::optional<std::string>> snapshot = read_snapshot(db, cursor->ref_id);
    // The snapshot that the reader saw may be past retention: then everything is new again.
    if (!snapshot && is_missing(snapshot.error())) return std::optional<Earlier>();
    if (!snapshot) return snapshot.error();
    if (!*snapshot || sha256(**snapshot) != cursor->last_snapshot_hash) return std::optional<Earlier>();
    return std::optional(Earlier{cursor->ref_id, **snapshot});
}

}  // namespace

Result<ContentRead> read_content(Database& db, const ContentQuery& query) {
    Call call = TRY(read_call(db, query.ref_id));
    std::string snapshot = TRY(snapshot_of(call));
    ContentRead read;
    read.cursor = {.reader = query.reader,
                   .ref_id = query.ref_id,
                   .page_key = query.page_key.empty() ? call.summary.session_id + " " + call.summary.page_url
                                                      : query.page_key,
                   .cursor_position = static_cast<std::int64_t>(snapshot.size()),
                   .last_snapshot_hash = sha256(snapshot)};
    std::optional<Earlier> earlier = TRY(find_earlier(db, query, read.cursor));
    read.content.call = std::move(call.summary);
    if (earlier) {
        read.content.is_difference = true;
        read.content.since_ref = earlier->ref_id;
        read.content.text = render_diff(earlier->snapshot, snapshot);
    } else {
        read.content.text = std::move(snapshot);
    }
    return read;
}

Result<std::string> diff_calls(Database& db, const std::string& from_ref, const std::string& to_ref) {
    Call from = TRY(read_call(db, from_ref));
    Call to = TRY(read_call(db, to_ref));
    return render_diff(TRY(snapshot_of(from)), TRY(snapshot_of(to)));
}

}  // namespace store
