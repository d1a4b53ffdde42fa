#include "cli/command_line.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "cli/export.h"
#include "cli/text_table.h"
#include "store/database_files.h"
#include "store/diff.h"
#include "store/history.h"
#include "store/time_text.h"
#include "tools/history.h"
#include "tools/history_text.h"
#include "tools/sessions.h"
#include "util/files.h"
#include "util/strings.h"

namespace cli {
namespace {

using Databases = std::vector<std::unique_ptr<store::Database>>;

Error wrong(std::string message, std::string hint) {
    return Error{.code = ErrorCode::InvalidArgument, .message = std::move(message), .hint = std::move(hint)};
}

std::string flag(const HistoryCommand& command, const std::string& name) {
    auto it = command.flags.find(name);
    return it == command.flags.end() ? "" : it->second;
}

Result<std::optional<store::Time>> moment(const HistoryCommand& command, const std::string& name) {
    std::string given = flag(command, name);
    if (given.empty()) return std::optional<store::Time>();
    auto time = store::parse_time(
        given, std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
    if (!time)
        return wrong("--" + name + " \"" + given + "\" is no moment.",
                     "Write 2026-07-28T12:00Z, or how long ago: 30m, 2h, 7d.");
    return time;
}

Result<store::HistoryQuery> query_of(const HistoryCommand& command) {
    store::HistoryQuery query{.from = TRY(moment(command, "since")),
                              .until = TRY(moment(command, "until")),
                              .text = flag(command, "text")};
    if (std::string tool = flag(command, "tool"); !tool.empty()) query.tool_name = tool;
    std::string limit = flag(command, "limit");
    int number = query.limit;
    auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), number);
    bool is_number = limit.empty() || (error == std::errc() && end == limit.data() + limit.size());
    if (!is_number || number < 1 || number >= store::kMaxListed)
        return wrong("--limit \"" + limit + "\" is not a number of calls.",
                     "Say --limit 1 to --limit " + std::to_string(store::kMaxListed - 1) + ".");
    // One extra call shows that there are more.
    query.limit = number + 1;
    return query;
}

// A session, and the database that contains it.
struct Match {
    store::Database* db;
    store::SessionInfo session;
};

// The id of a session without an owner gets an "@": "ann@".
std::string whole_id(const std::string& id) { return id.find('@') == id.npos ? id + "@" : id; }

// The sessions of that name, of any owner: "ann" also matches "ann@0123456789abcdef", the name and a hash of
// the owner. A whole id, which has an "@", matches one session only. Latest first; an empty name matches all.
Result<std::vector<Match>> matching(Databases& databases, const std::string& name) {
    std::vector<Match> found, exact;
    for (auto& db : databases) {
        for (store::SessionInfo& each : TRY(store::list_sessions(*db))) {
            Match match{db.get(), std::move(each)};
            const std::string& id = match.session.session_id;
            if (name.find('@') != name.npos && whole_id(id) == name) exact.push_back(match);
            // Earlier versions wrote an owner's own session without a name.
            std::string shown = id.starts_with('@') ? tools::shown_name("") : tools::shown_session(id);
            if (name.empty() || id == name || shown == name) found.push_back(std::move(match));
        }
    }
    if (!exact.empty()) found = std::move(exact);
    std::ranges::stable_sort(found, std::greater{},
                             [](const Match& each) { return each.session.last_activity; });
    return found;
}

Error no_such_session(const std::string& name) {
    return Error{
        .code = ErrorCode::NotFound,
        .message = name.empty() ? "No session was recorded." : "No session " + name + " was recorded.",
        .hint = "troupe history list shows the sessions' names."};
}

std::set<std::string> ids_of(const std::vector<Match>& matches) {
    std::set<std::string> ids;
    for (const Match& each : matches) ids.insert(each.session.session_id);
    return ids;
}

std::string several(const std::string& name, const std::vector<Match>& matches) {
    std::string text = std::to_string(ids_of(matches).size()) + " sessions match " + name + ":\n";
    std::set<std::string> named;
    for (const Match& each : matches) {
        if (named.insert(each.session.session_id).second)
            text += "  " + whole_id(each.session.session_id) + "  last used " +
                    store::to_text(each.session.last_activity) + "\n";
    }
    return text;
}

// The shortest length that makes the refs distinct here, but at least 8, which people recognize.
std::size_t ref_length(const std::vector<store::CallSummary>& calls) {
    std::size_t length = 8;
    for (std::set<std::string> seen; length < 36; ++length, seen.clear()) {
        for (const store::CallSummary& call : calls) seen.insert(call.ref_id.substr(0, length));
        if (seen.size() == calls.size()) break;
    }
    return length;
}

std::string to_lines(const std::vector<store::CallSummary>& calls) {
    std::size_t length = ref_length(calls);
    std::map<std::string, std::set<std::string>> ids;  // by the name that is shown
    for (const store::CallSummary& call : calls)
        ids[tools::shown_session(call.session_id)].insert(call.session_id);
    TextRows rows{{"TIME", "REF", "STATUS", "SESSION", "TOOL", "PAGE"}};
    for (const store::CallSummary& call : calls) {
        std::string name = tools::shown_session(call.session_id);
        rows.push_back({store::to_text(call.timestamp), call.ref_id.substr(0, length),
                        std::string(call.status ? store::to_string(*call.status) : "unanswered"),
                        ids[name].size() == 1 ? name : call.session_id, call.tool_name, call.page_url});
    }
    return aligned(rows);
}

Result<std::string> list(Databases& databases, const HistoryCommand& command) {
    store::HistoryQuery query = TRY(query_of(command));
    std::vector<store::CallSummary> calls;
    std::vector<Match> matches;
    std::string session = flag(command, "session");
    if (!session.empty()) {
        matches = TRY(matching(databases, session));
        for (const Match& each : matches) {
            query.session_id = each.session.session_id;
            auto found = TRY(store::list_history(*each.db, query));
            std::move(found.begin(), found.end(), std::back_inserter(calls));
        }
    } else {
        for (auto& db : databases) {
            auto found = TRY(store::list_history(*db, query));
            std::move(found.begin(), found.end(), std::back_inserter(calls));
        }
    }
    std::ranges::stable_sort(calls, std::greater{}, &store::CallSummary::timestamp);
    auto shown = static_cast<std::size_t>(query.limit - 1);
    bool is_cut = calls.size() > shown;
    if (is_cut) calls.resize(shown);
    if (command.as_json) {
        json::array listed;
        for (const store::CallSummary& call : calls) listed.push_back(tools::describe(call));
        return json::pretty(listed) + "\n";
    }
    std::string text = calls.empty() ? "No calls.\n" : to_lines(calls);
    if (is_cut)
        text += "\nOnly the newest " + std::to_string(shown) + ". There are more: --limit shows up to " +
                std::to_string(store::kMaxListed - 1) + ", --until " +
                store::to_text(calls.back().timestamp) + " what was before these.\n";
    if (ids_of(matches).size() > 1) text += "\n" + several(session, matches);
    return text;
}

// The call of this ref, or the only one whose ref begins so, wherever it is.
Result<store::Call> find(Databases& databases, const std::string& ref) {
    std::set<std::string> refs;
    store::Database* place = nullptr;
    for (auto& db : databases) {
        for (const store::CallSummary& call : TRY(store::find_calls(*db, ref))) {
            refs.insert(call.ref_id);
            place = db.get();
        }
    }
    if (refs.size() == 1) return store::read_call(*place, *refs.begin());
    if (refs.size() > 1)
        return wrong("Several refs begin with " + ref + ": " + join({refs.begin(), refs.end()}, ", ") + ".",
                     "Give more of the one that is meant.");
    Error missing = wrong("There is no record.", "");
    for (auto& db : databases) missing = store::read_call(*db, ref).error();
    if (!missing.message.contains("retention"))
        missing.hint = "troupe history list shows the refs there are.";
    return missing;
}

json::object to_json(const store::Call& call) {
    json::object data = tools::describe(call.summary);
    data["session_id"] = call.summary.session_id;
    auto params = json::parse(call.params);
    data["params"] = params ? *params : json::value(call.params);
    auto result = json::parse(call.result);
    data["result"] = result ? *result : json::value(call.result);
    if (call.page_snapshot) data["page_snapshot"] = *call.page_snapshot;
    return data;
}

std::string to_text(const store::Call& call) {
    const store::CallSummary& summary = call.summary;
    std::string text = summary.tool_name + " " + call.params + "\n" + store::to_text(summary.timestamp) +
                       ", session " + summary.session_id + ", " +
                       std::string(summary.status ? store::to_string(*summary.status) : "unanswered") + "\n";
    if (!summary.page_url.empty()) text += summary.page_url + " " + summary.page_title + "\n";
    text += "\n" + (call.result.empty() ? summary.error_message : tools::result_text(call.result)) + "\n";
    if (call.page_snapshot && text.find(*call.page_snapshot) == text.npos)
        text += "\nSnapshot\n" + *call.page_snapshot + "\n";
    return text;
}

// One or several calls, by their refs.
Result<std::string> show(Databases& databases, const HistoryCommand& command) {
    std::string text;
    json::array calls;
    for (const std::string& ref : command.refs) {
        store::Call call = TRY(find(databases, ref));
        if (command.as_json)
            calls.push_back(to_json(call));
        else
            text += (text.empty() ? "" : "\n") + to_text(call);
    }
    if (!command.as_json) return text;
    return json::pretty(calls.size() == 1 ? calls[0] : json::value(calls)) + "\n";
}

Result<std::string> diff(Databases& databases, const HistoryCommand& command) {
    std::vector<std::string> snapshots;
    for (const std::string& ref : command.refs) {
        store::Call call = TRY(find(databases, ref));
        if (!call.page_snapshot)
            return wrong("Call " + ref + " (" + call.summary.tool_name + ") has no page snapshot.",
                         "troupe history show " + ref + " shows its answer.");
        snapshots.push_back(std::move(*call.page_snapshot));
    }
    return store::render_diff(snapshots[0], snapshots[1]);
}

// When there are several records, reads the one that servers write.
Result<std::string> sql(Databases& databases, const HistoryCommand& command) {
    store::SqlRows found = TRY(store::run_sql(databases.front()->path(), command.refs.front()));
    return command.as_json ? json_of(found) : table_of(found);
}

// All calls of the session, oldest first; without a name, of the session that was used last.
Result<Recorded> session_calls(Databases& databases, const std::string& session) {
    std::vector<Match> matches = TRY(matching(databases, session));
    if (matches.empty()) return no_such_session(session);
    if (!session.empty() && ids_of(matches).size() > 1)
        return wrong(several(session, matches), "Give the whole id of one of them to --session.");
    Recorded recorded{.session_id = matches.front().session.session_id};
    for (const Match& each : matches) {
        if (each.session.session_id != recorded.session_id) continue;
        store::HistoryQuery query{.session_id = recorded.session_id, .limit = store::kMaxListed};
        for (;;) {
            auto page = TRY(store::list_history(*each.db, query));
            for (const store::CallSummary& call : page)
                recorded.calls.push_back(TRY(store::read_call(*each.db, call.ref_id)));
            if (page.size() < static_cast<std::size_t>(store::kMaxListed)) break;
            query.before = page.back().number;
        }
    }
    std::ranges::reverse(recorded.calls);
    std::ranges::stable_sort(recorded.calls, {},
                             [](const store::Call& call) { return call.summary.timestamp; });
    return recorded;
}

Result<std::string> export_session(Databases& databases, const HistoryCommand& command) {
    std::string format = flag(command, "format");
    Recorded recorded = TRY(session_calls(databases, flag(command, "session")));
    std::string text;
    if (format == "playwright-test" || format.empty())
        text = TRY(to_playwright_test(recorded));
    else if (format == "har")
        text = TRY(to_har(recorded));
    else
        return wrong("There is no format " + format + ".", "Use playwright-test or har.");
    std::string output = flag(command, "output");
    if (output.empty()) return text;
    TRY(write_file(output, text));
    return "Wrote " + output + "\n";
}

}  // namespace

Result<std::string> run_history(const std::vector<std::filesystem::path>& databases,
                                const HistoryCommand& command) {
    Databases opened;
    for (const auto& path : databases) opened.push_back(TRY(store::open_for_reading(path)));
    if (opened.empty()) {
        return Error{.code = ErrorCode::NotFound,
                     .message = "Nothing was recorded yet.",
                     .hint =
                         "A server records its calls unless started with --no-record; --record-path names "
                         "another database."};
    }
    if (command.action == "show") return show(opened, command);
    if (command.action == "diff") return diff(opened, command);
    if (command.action == "export") return export_session(opened, command);
    if (command.action == "sql") return sql(opened, command);
    return list(opened, command);
}

}  // namespace cli
