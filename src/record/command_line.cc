#include "record/command_line.h"

#include <algorithm>
#include <set>

#include "record/export.h"
#include "store/content.h"
#include "store/database_files.h"
#include "store/history.h"
#include "store/time_text.h"
#include "tools/history.h"
#include "tools/history_text.h"
#include "tools/sessions.h"
#include "util/files.h"

namespace record {
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
    if (!limit.empty() && limit.find_first_not_of("0123456789") != limit.npos)
        return wrong("--limit must be a number.", "");
    if (!limit.empty()) query.limit = std::atoi(limit.c_str());
    return query;
}

// A session in the database that has it.
struct Match {
    store::Database* db;
    store::SessionInfo session;
};

// Those of that name, whoever's they are: "ann" is also "ann@0123456789abcdef", the name and a hash of the
// owner. A whole id is one session only. The latest first; with an empty name, all.
Result<std::vector<Match>> matching(Databases& databases, const std::string& name) {
    std::vector<Match> found, exact;
    for (auto& db : databases) {
        for (store::SessionInfo& each : TRY(store::list_sessions(*db))) {
            Match match{db.get(), std::move(each)};
            const std::string& id = match.session.session_id;
            if (id == name && name.find('@') != name.npos) exact.push_back(match);
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
            text += "  " + each.session.session_id + "  last used " +
                    store::to_text(each.session.last_activity) + "\n";
    }
    return text;
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
    if (calls.size() > static_cast<std::size_t>(query.limit))
        calls.resize(static_cast<std::size_t>(query.limit));
    std::string text;
    json::array listed;
    for (const store::CallSummary& call : calls) {
        listed.push_back(tools::describe(call));
        text += store::to_text(call.timestamp) + "  " + call.ref_id + "  " +
                std::string(call.status ? store::to_string(*call.status) : "unanswered") + "  " +
                call.session_id + "  " + call.tool_name +
                (call.page_url.empty() ? "" : "  " + call.page_url) + "\n";
    }
    if (command.as_json) return json::pretty(listed) + "\n";
    if (ids_of(matches).size() > 1) text += "\n" + several(session, matches);
    return text.empty() ? "No calls.\n" : text;
}

// The call, wherever it is; the last database's word when it is in none.
Result<store::Call> find(Databases& databases, const std::string& ref) {
    Error missing = wrong("There is no record.", "");
    for (auto& db : databases) {
        auto call = store::read_call(*db, ref);
        if (call) return call;
        missing = call.error();
    }
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

// One call, or with several refs as many.
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
    for (auto& db : databases) {
        auto text = store::diff_calls(*db, command.refs[0], command.refs[1]);
        if (text) return text;
        if (db == databases.back()) return text;
    }
    return wrong("There is no record.", "");
}

// All calls of the session, oldest first; without one, of the session that was used last.
Result<Recorded> session_calls(Databases& databases, const std::string& session) {
    std::vector<Match> matches = TRY(matching(databases, session));
    if (matches.empty()) return no_such_session(session);
    if (!session.empty() && ids_of(matches).size() > 1)
        return wrong(several(session, matches), "Give the whole id of one of them to --session.");
    Recorded recorded{.session_id = matches.front().session.session_id};
    for (const Match& each : matches) {
        if (each.session.session_id != recorded.session_id) continue;
        store::HistoryQuery query{.session_id = recorded.session_id, .limit = 1000};
        for (;;) {
            auto page = TRY(store::list_history(*each.db, query));
            for (const store::CallSummary& call : page)
                recorded.calls.push_back(TRY(store::read_call(*each.db, call.ref_id)));
            if (page.size() < 1000) break;
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

std::vector<std::filesystem::path> find_databases(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        std::string name = entry.path().filename().string();
        bool ours = name == "record.db" || (name.starts_with("record-") && name.ends_with(".db") &&
                                            name.find_first_not_of("0123456789", 7) == name.size() - 3);
        if (ours) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

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
    return list(opened, command);
}

}  // namespace record
