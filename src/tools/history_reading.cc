// The operations of the history tools and the JSON API on the record.
#include <algorithm>

#include "store/diff.h"
#include "store/time_text.h"
#include "tools/history.h"
#include "tools/history_text.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace tools {
namespace {

constexpr std::size_t kMaxErrorLength = 500;  // in lists
constexpr std::size_t kRefLength = 36;

// Identical for another owner's call and for one that never existed.
Error no_such_call(const std::string& ref_id) {
    return Error{.code = ErrorCode::NotFound,
                 .message = "No call " + ref_id + " was recorded here.",
                 .hint = "history_list shows the calls there are."};
}

Error several_calls(const std::string& ref_id) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "Several calls have a ref_id that begins with " + ref_id + ".",
                 .hint = "Give more of it."};
}

Result<std::optional<store::Time>> moment(const std::string& text, std::string_view argument) {
    if (text.empty()) return std::optional<store::Time>();
    auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    auto time = store::parse_time(text, now);
    if (!time) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = std::string(argument) + " \"" + text + "\" is no moment.",
                     .hint = "Write 2026-07-28T12:00Z, or how long ago: 30m, 2h, 7d."};
    }
    return time;
}

// The text of an answer without a snapshot. It never changes, so a second read returns nothing.
Task<std::string> read_answer(HistoryCatalog catalog, RecordIdentity reader, store::CallSummary summary,
                              ContentRequest request) {
    store::Call call = co_await catalog.store->call(summary.ref_id);
    if (!call.summary.answered) {
        co_await Error{.code = ErrorCode::NotFound,
                       .message = "The call " + summary.ref_id + " has no answer.",
                       .hint = "It is under way, or its server ended before it was."};
    }
    std::string text = result_text(call.result);
    store::Cursor read{.reader = reader.reader,
                       .ref_id = summary.ref_id,
                       .page_key = summary.ref_id,
                       .cursor_position = static_cast<std::int64_t>(text.size()),
                       .last_snapshot_hash = sha256(text)};
    auto before = co_await catalog.store->cursor(reader.reader, summary.ref_id);
    if (!request.search_for.empty()) co_return lines_with(text, request.search_for);
    if (before && before->last_snapshot_hash == read.last_snapshot_hash && !request.reset_cursor)
        co_return "";
    if (request.max_chars && text.size() > *request.max_chars) co_return cut_off(text, *request.max_chars);
    catalog.store->advance(std::move(read));
    co_return text;
}

}  // namespace

std::optional<std::vector<std::string>> HistoryCatalog::seen_sessions(const Caller& caller) const {
    auto names = seen_names ? seen_names(caller) : std::nullopt;
    if (!names) return std::nullopt;
    std::vector<std::string> ids{identify(caller).session_id};
    Caller named = caller;
    for (std::string& name : *names) {
        named.session_name = std::move(name);
        if (std::string id = identify(named).session_id; std::ranges::find(ids, id) == ids.end())
            ids.push_back(std::move(id));
    }
    return ids;
}

json::object describe(const store::CallSummary& call) {
    json::object data{{"number", call.number},
                      {"ref_id", call.ref_id},
                      {"session_id", shown_session(call.session_id)},
                      {"tool", call.tool_name},
                      {"timestamp", store::to_text(call.timestamp)},
                      {"status", call.status ? store::to_string(*call.status) : "unanswered"},
                      {"has_snapshot", call.has_snapshot},
                      {"has_console_logs", call.console_count > 0},
                      {"console_error_count", call.console_error_count}};
    if (!call.page_url.empty()) data["page_url"] = call.page_url;
    if (!call.page_title.empty()) data["page_title"] = call.page_title;
    if (!call.error_message.empty())
        data["error"] = call.error_message.size() <= kMaxErrorLength
                            ? call.error_message
                            : well_formed(call.error_message.substr(0, kMaxErrorLength)) + "…";
    return data;
}

Task<store::CallSummary> find_call(HistoryCatalog catalog, RecordIdentity reader, std::string ref_id) {
    if (ref_id.size() < kRefLength) {
        std::vector<store::CallSummary> calls = co_await catalog.store->find_calls(ref_id);
        std::erase_if(calls, [&](const store::CallSummary& call) { return !reader.may_read(call.owner); });
        if (calls.size() == 1) co_return std::move(calls.front());
        if (calls.size() > 1) co_await several_calls(ref_id);
    }
    store::CallSummary summary = co_await catalog.store->summary(ref_id);
    if (!reader.may_read(summary.owner)) co_await no_such_call(ref_id);
    co_return summary;
}

Task<std::string> read_content(HistoryCatalog catalog, RecordIdentity reader, ContentRequest request) {
    store::CallSummary summary = co_await find_call(catalog, reader, request.ref_id);
    request.ref_id = summary.ref_id;
    if (!request.since.empty() && request.since != "last")
        request.since = (co_await find_call(catalog, reader, request.since)).ref_id;
    if (!summary.has_snapshot) {
        co_return co_await read_answer(std::move(catalog), std::move(reader), std::move(summary),
                                       std::move(request));
    }
    // Reading only a part of the page does not mark it as read.
    if (!request.search_for.empty() || (request.depth && request.since.empty())) {
        auto snapshot = co_await catalog.store->snapshot(request.ref_id);
        std::string text = snapshot.value_or("");
        if (!request.search_for.empty()) text = lines_with(text, request.search_for);
        if (request.depth) text = upper_levels(text, *request.depth);
        co_return cut_off(text, request.max_chars.value_or(std::string::npos));
    }
    std::size_t limit = request.max_chars.value_or(std::string::npos);
    store::Content content = co_await catalog.store->read_content({.reader = reader.reader,
                                                                   .ref_id = request.ref_id,
                                                                   .since = request.since,
                                                                   .reset_cursor = request.reset_cursor,
                                                                   .counts_up_to = limit});
    if (content.text.size() <= limit) co_return std::move(content.text);
    co_return content.is_difference ? cut_off(content.text, limit)
                                    : store::render_outline(content.text, limit);
}

Task<RecordedText> read_whole(HistoryCatalog catalog, RecordIdentity reader, std::string ref_id) {
    store::CallSummary summary = co_await find_call(catalog, std::move(reader), std::move(ref_id));
    if (summary.has_snapshot) {
        auto snapshot = co_await catalog.store->snapshot(summary.ref_id);
        co_return RecordedText{snapshot.value_or(""), true};
    }
    store::Call call = co_await catalog.store->call(summary.ref_id);
    co_return RecordedText{result_text(call.result)};
}

Task<std::string> read_picture(HistoryCatalog catalog, RecordIdentity reader, std::string ref_id) {
    if (!catalog.store) co_await no_such_call(ref_id);
    store::CallSummary summary = co_await find_call(catalog, std::move(reader), std::move(ref_id));
    store::Call call = co_await catalog.store->call(summary.ref_id);
    for (const RecordedPicture& each : result_pictures(call.result))
        if (each.mime_type == "image/png") co_return co_await base64_decode(each.data);
    co_await Error{.code = ErrorCode::InvalidArgument,
                   .message = "The answer of call " + summary.ref_id + " shows no PNG.",
                   .hint = "Name a call of browser_take_screenshot or screenshot with type png."};
    co_return std::string();
}

Task<std::vector<RecordedPicture>> read_pictures(HistoryCatalog catalog, RecordIdentity reader,
                                                 std::string ref_id) {
    store::CallSummary summary = co_await find_call(catalog, std::move(reader), std::move(ref_id));
    store::Call call = co_await catalog.store->call(summary.ref_id);
    co_return result_pictures(call.result);
}

Task<std::vector<store::ConsoleMessage>> read_console(HistoryCatalog catalog, RecordIdentity reader,
                                                      std::string ref_id, std::string level) {
    if (level == "warning") level = "warn";
    auto at_least = level.empty() ? store::Level::Debug : store::level_of(level);
    if (!at_least) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "level \"" + level + "\" is none.",
                       .hint = "Use debug, info, warn or error."};
    }
    store::CallSummary summary = co_await find_call(catalog, std::move(reader), std::move(ref_id));
    co_return co_await catalog.store->console(summary.ref_id, *at_least);
}

Task<json::object> list_history(HistoryCatalog catalog, Caller caller, HistoryRequest request) {
    RecordIdentity reader = catalog.identify(caller);
    std::vector<std::string> owners = reader.also_reads;
    owners.push_back(reader.owner);
    store::HistoryQuery query{.owners = std::move(owners),
                              .from = co_await moment(request.since, "since"),
                              .until = co_await moment(request.until, "until"),
                              .text = request.text,
                              .before = request.before,
                              .limit = request.limit};
    if (!request.tool.empty()) query.tool_name = request.tool;
    if (request.session.find('@') != std::string::npos) {
        query.session_id = request.session;
    } else if (!request.session.empty()) {
        caller.session_name = request.session;
        query.session_id = catalog.identify(caller).session_id;
    }
    std::vector<store::CallSummary> calls;
    auto seen = query.session_id ? std::nullopt : catalog.seen_sessions(caller);
    if (!seen) {
        calls = co_await catalog.store->history(query);
    } else {
        for (const std::string& each : *seen) {
            query.session_id = each;
            for (store::CallSummary& call : co_await catalog.store->history(query))
                calls.push_back(std::move(call));
        }
        std::ranges::sort(calls, std::greater{}, &store::CallSummary::number);
        if (calls.size() > static_cast<std::size_t>(request.limit))
            calls.resize(static_cast<std::size_t>(request.limit));
    }
    json::array listed;
    for (const store::CallSummary& call : calls) listed.push_back(describe(call));
    json::object answer{{"calls", std::move(listed)}};
    if (calls.size() == static_cast<std::size_t>(request.limit)) answer["before"] = calls.back().number;
    co_return answer;
}

Task<std::string> diff_history(HistoryCatalog catalog, RecordIdentity reader, std::string from,
                               std::string to) {
    from = (co_await find_call(catalog, reader, from)).ref_id;
    to = (co_await find_call(catalog, reader, to)).ref_id;
    co_return co_await catalog.store->diff(std::move(from), std::move(to));
}

}  // namespace tools
