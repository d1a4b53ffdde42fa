#include "tools/history.h"

#include "tools/history_text.h"

namespace tools {
namespace {

constexpr std::string_view kCapability = "history";

struct ContentParams {
    std::string ref_id;
    std::optional<std::string> search_for;
    std::optional<bool> reset_cursor;
    std::optional<std::string> since;
    std::optional<double> depth, max_chars;
};

Task<ToolResult> get_content(HistoryCatalog catalog, Call call, ContentParams params) {
    ContentRequest request{.ref_id = params.ref_id,
                           .search_for = params.search_for.value_or(""),
                           .reset_cursor = params.reset_cursor.value_or(false),
                           .since = params.since.value_or("")};
    if (params.depth) request.depth = static_cast<int>(*params.depth);
    if (params.max_chars) request.max_chars = static_cast<std::size_t>(std::max(0.0, *params.max_chars));
    RecordIdentity reader = catalog.identify(call.client.caller());
    bool is_part = !request.search_for.empty() || request.depth;
    ToolResult result = ToolResult::text(co_await read_content(catalog, reader, std::move(request)));
    bool is_new = !std::get<Text>(result.content.front()).text.empty();
    if (is_part || !is_new) co_return result;
    for (RecordedPicture& each : co_await read_pictures(catalog, reader, params.ref_id))
        result.content.emplace_back(Image{std::move(each.data), std::move(each.mime_type)});
    co_return result;
}

struct ConsoleParams {
    std::string ref_id;
    std::optional<std::string> level;
};

Task<ToolResult> get_console_content(HistoryCatalog catalog, Call call, ConsoleParams params) {
    auto messages = co_await read_console(catalog, catalog.identify(call.client.caller()), params.ref_id,
                                          params.level.value_or(""));
    co_return ToolResult::text(console_text(messages));
}

struct ListParams {
    std::optional<std::string> session, tool, since, until, text;
    std::optional<double> before, limit;
};

Task<ToolResult> history_list(HistoryCatalog catalog, Call call, ListParams params) {
    HistoryRequest request{.session = params.session.value_or(""),
                           .tool = params.tool.value_or(""),
                           .since = params.since.value_or(""),
                           .until = params.until.value_or(""),
                           .text = params.text.value_or("")};
    if (params.before) request.before = static_cast<std::int64_t>(*params.before);
    if (params.limit) request.limit = static_cast<int>(std::clamp(*params.limit, 1.0, 1000.0));
    json::object listed = co_await list_history(catalog, call.client.caller(), std::move(request));
    ToolResult result = ToolResult::text(json::serialize(listed));
    result.structured = std::move(listed);
    co_return result;
}

struct DiffParams {
    std::string from, to;
};

Task<ToolResult> history_diff(HistoryCatalog catalog, Call call, DiffParams params) {
    co_return ToolResult::text(
        co_await diff_history(catalog, catalog.identify(call.client.caller()), params.from, params.to));
}

// Reports an unknown ref and the like as a tool error.
Task<ToolResult> guarded(bool has_store, Task<ToolResult> task) {
    if (!has_store) {
        co_return ToolResult::from(Error{.code = ErrorCode::NotFound,
                                         .message = "This server keeps no record.",
                                         .hint = "It was started with --no-record."});
    }
    auto result = co_await as_result(std::move(task));
    if (!result) co_return ToolResult::from(result.error());
    co_return std::move(*result);
}

template <class Params>
std::function<Task<ToolResult>(Call, Params)> with(HistoryCatalog catalog,
                                                   Task<ToolResult> (*handler)(HistoryCatalog, Call,
                                                                               Params)) {
    return [catalog = std::move(catalog), handler](Call call, Params params) {
        return guarded(catalog.store != nullptr, handler(catalog, call, std::move(params)));
    };
}

constexpr std::string_view kRefHelp = "ref_id of a call, as answers and history_list give it.";

Tool in_session(Tool tool) {
    // The reader is the calling session, so a caller that uses session names has to give one.
    tool.acts_in_session = true;
    return tool;
}

}  // namespace

std::vector<Tool> history_tools(const HistoryCatalog& catalog) {
    return {
        in_session(tool<ContentParams>(
            {.name = "get_content",
             .title = "Read a recorded page",
             .description = "The page as a call left it. Read again, only what changed since you last read "
                            "it; empty when "
                            "nothing did.",
             .effect = Effect::ReadsServer,
             .capability = std::string(kCapability),
             .params =
                 {{"ref_id", &ContentParams::ref_id, kRefHelp},
                  {"search_for", &ContentParams::search_for,
                   "Only lines with this text, under the lines they belong to."},
                  {"reset_cursor", &ContentParams::reset_cursor, "Everything again."},
                  {"since", &ContentParams::since,
                   "Only the difference to another ref_id, or with \"last\" to what you last read of this "
                   "page."},
                  {"depth", &ContentParams::depth, "Levels to show."},
                  {"max_chars", &ContentParams::max_chars,
                   "Longest answer; of more, the upper levels are shown."}},
             .handler = with<ContentParams>(catalog, get_content)})),
        in_session(
            tool<ConsoleParams>({.name = "get_console_content",
                                 .title = "Read recorded console messages",
                                 .description = "What pages logged during a call.",
                                 .effect = Effect::ReadsServer,
                                 .capability = std::string(kCapability),
                                 .params = {{"ref_id", &ConsoleParams::ref_id, kRefHelp},
                                            {"level", &ConsoleParams::level,
                                             "Least severe level: debug (default), info, warn or error."}},
                                 .handler = with<ConsoleParams>(catalog, get_console_content)})),
        in_session(tool<ListParams>(
            {.name = "history_list",
             .title = "List recorded calls",
             .description = "Your calls, the newest first, each with its ref_id.",
             .effect = Effect::ReadsServer,
             .capability = std::string(kCapability),
             .params = {{"session", &ListParams::session, "Only this session's."},
                        {"tool", &ListParams::tool, "Only this tool's."},
                        {"since", &ListParams::since,
                         "From this moment on: 2026-07-28T12:00Z, or 30m, 2h, 7d ago."},
                        {"until", &ListParams::until, "Before this moment."},
                        {"text", &ListParams::text,
                         "Words of the arguments, the page or an error; all must occur."},
                        {"before", &ListParams::before, "Calls before this number: the next page."},
                        {"limit", &ListParams::limit, "How many. Default 50."}},
             .handler = with<ListParams>(catalog, history_list)})),
        in_session(tool<DiffParams>(
            {.name = "history_diff",
             .title = "Compare recorded pages",
             .description = "What changed on the page between two calls; empty when nothing did.",
             .effect = Effect::ReadsServer,
             .capability = std::string(kCapability),
             .params = {{"from_ref_id", &DiffParams::from, kRefHelp},
                        {"to_ref_id", &DiffParams::to, kRefHelp}},
             .handler = with<DiffParams>(catalog, history_diff)})),
    };
}

}  // namespace tools
