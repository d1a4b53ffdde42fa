#include "api/api_routes.h"

namespace api {
namespace {

using tools::Effect;

constexpr ApiParameter kReader{
    .name = "session_id", .description = "The session whose read position moves.", .other_name = "sessionId"};

const std::vector<ApiRoute>& routes() {
    static const std::vector<ApiRoute> kRoutes = {
        {.method = "POST",
         .path = "/api/call",
         .summary = "Call a tool in a session; what it showed is read by its ref_id.",
         .body = {{"session_id", "The session; made on first use.", "string", true, "sessionId"},
                  {"tool", "The tool's name.", "string", true},
                  {"params", "The tool's arguments.", "object", false, "arguments"},
                  {"request_id", "Your own name for the call: a repeat gives the first one's answer."}},
         .answer = "Call",
         .access = ApiAccess::as_the_tool_it_names(),
         .handler = &Api::call},
        {.method = "POST",
         .path = "/api/sessions",
         .summary = "Create a session.",
         .body = {{"session_id", "A name instead of a made-up id.", "string", false, "sessionId"},
                  {"url", "Address to open."},
                  {"userAgent", "User agent of its browser."},
                  {"width", "Width of the viewport.", "number"},
                  {"height", "Height of the viewport.", "number"},
                  {"viewport", "Both as one object: {\"width\": 800, \"height\": 600}.", "object"},
                  {"storageState", "Cookies and storage, as JSON text."},
                  {"isolation", "context or browser."},
                  {"engine", "native or upstream, where the server has both."}},
         .answer = "Session",
         .status = 201,
         .access = ApiAccess::as({"create_session", "sessions", Effect::ChangesServer}),
         .handler = &Api::create_session},
        {.method = "GET",
         .path = "/api/sessions",
         .summary =
             "Your sessions, those of earlier runs included, the last used first. Without a token, over "
             "TCP: the one that is named.",
         .query = {{"session_id", "The session to report, where no token says who you are.", "string", false,
                    "session"}},
         .answer = "Sessions",
         .access = ApiAccess::as({"list_sessions", "sessions", Effect::ReadsServer}),
         .handler = &Api::list_sessions},
        {.method = "DELETE",
         .path = "/api/sessions/{id}",
         .summary = "Close a session. Its calls stay readable.",
         .answer = "Session",
         .access = ApiAccess::as({"close_session", "sessions", Effect::ChangesServer}),
         .handler = &Api::close_session},
        {.method = "GET",
         .path = "/api/content/{ref}",
         .summary =
             "The page as a call left it, or its answer, with its pictures in base64; read again, only "
             "what changed since.",
         .query = {{"search_for", "Only lines with this text, under the lines they belong to."},
                   {"reset_cursor", "true: everything again.", "boolean"},
                   {"since",
                    "Only the difference to another ref_id, or with \"last\" to your last read of the page."},
                   {"depth", "Levels to show.", "integer"},
                   {"max_chars", "Longest content.", "integer"},
                   kReader},
         .answer = "Content",
         .access = ApiAccess::as({"get_content", "history", Effect::ReadsServer}),
         .handler = &Api::content},
        {.method = "GET",
         .path = "/api/console/{ref}",
         .summary = "What pages logged during a call.",
         .query = {{"level", "Least severe level: debug, info, warn or error."}},
         .answer = "Console",
         .access = ApiAccess::as({"get_console_content", "history", Effect::ReadsServer}),
         .handler = &Api::console},
        {.method = "GET",
         .path = "/api/history",
         .summary = "Your calls, the newest first.",
         .query = {{"session", "Only this session's.", "string", false, "session_id"},
                   {"tool", "Only this tool's."},
                   {"since", "From this moment on: 2026-07-28T12:00Z, or 30m, 2h, 7d ago."},
                   {"until", "Before this moment."},
                   {"text", "Words of the arguments, the page or an error; all must occur."},
                   {"before", "Calls before this number: the next page.", "integer"},
                   {"limit", "How many, at most 1000.", "integer"}},
         .answer = "History",
         .access = ApiAccess::as({"history_list", "history", Effect::ReadsServer}),
         .handler = &Api::history},
        {.method = "GET",
         .path = "/api/health",
         .summary = "How the server and its record are doing; 503 while calls cannot be recorded.",
         .answer = "Health",
         .needs_record = false,
         .access = ApiAccess::to_nothing(),
         .handler = &Api::health},
        {.method = "GET",
         .path = "/api/openapi.json",
         .summary = "This document.",
         .answer = "Document",
         .needs_record = false,
         .access = ApiAccess::to_nothing(),
         .handler = &Api::describe_api},
    };
    return kRoutes;
}

json::object type(std::string_view name) { return {{"type", name}}; }
json::object list_of(json::object items) { return {{"type", "array"}, {"items", std::move(items)}}; }
json::object named(std::string_view name) { return {{"$ref", "#/components/schemas/" + std::string(name)}}; }

json::object object_of(json::object properties, json::array required) {
    return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

json::object schemas() {
    json::object text = type("string"), flag = type("boolean"), count = type("integer");
    json::object metadata = object_of(
        {{"tool", text}, {"has_snapshot", flag}, {"has_console_logs", flag}, {"console_error_count", count}},
        {"tool", "has_snapshot", "has_console_logs", "console_error_count"});
    json::object listed = object_of({{"number", count},
                                     {"ref_id", text},
                                     {"session_id", text},
                                     {"tool", text},
                                     {"timestamp", text},
                                     {"status", text},
                                     {"has_snapshot", flag},
                                     {"has_console_logs", flag},
                                     {"console_error_count", count},
                                     {"page_url", text},
                                     {"page_title", text},
                                     {"error", text}},
                                    {"number", "ref_id", "session_id", "tool", "timestamp", "status"});
    json::object message =
        object_of({{"level", text},
                   {"message", text},
                   {"timestamp", text},
                   {"location", object_of({{"url", text},
                                           {"line", count},
                                           {"column", count},
                                           {"lineNumber", count},
                                           {"columnNumber", count}},
                                          {"url", "line", "column", "lineNumber", "columnNumber"})}},
                  {"level", "message", "timestamp"});
    json::object store =
        object_of({{"status", text}, {"pending", count}, {"dropped", count}, {"bytes", count}}, {"status"});
    return {
        {"Call", object_of({{"ref_id", text},
                            {"session_id", text},
                            {"status", text},
                            {"timestamp", text},
                            {"metadata", std::move(metadata)},
                            {"error", text}},
                           {"ref_id", "session_id", "status", "timestamp", "metadata"})},
        {"Session", object_of({{"session_id", text},
                               {"state", text},
                               {"created_at", text},
                               {"last_activity", text},
                               {"url", text}},
                              {"session_id", "state"})},
        {"Sessions", object_of({{"sessions", list_of(named("Session"))}}, {"sessions"})},
        {"Content",
         object_of(
             {{"ref_id", text},
              {"content", text},
              {"pictures", list_of(object_of({{"mimeType", text}, {"data", text}}, {"mimeType", "data"}))}},
             {"ref_id", "content"})},
        {"Console",
         object_of({{"ref_id", text}, {"messages", list_of(std::move(message))}}, {"ref_id", "messages"})},
        {"History", object_of({{"calls", list_of(std::move(listed))}, {"before", count}}, {"calls"})},
        {"Health", object_of({{"status", text},
                              {"version", text},
                              {"store", std::move(store)},
                              {"upstream", object_of({{"status", text}, {"degraded_sessions", count}},
                                                     {"status", "degraded_sessions"})}},
                             {"status", "version"})},
        {"Document", type("object")},
        {"Error", object_of({{"error", text}, {"message", text}, {"details", json::object{}}},
                            {"error", "message", "details"})},
    };
}

json::object answer_of(std::string_view description, std::string_view schema) {
    return {{"description", description},
            {"content", json::object{{"application/json", json::object{{"schema", named(schema)}}}}}};
}

json::object body_of(const ApiRoute& route) {
    json::object properties;
    json::array required;
    for (const ApiParameter& each : route.body) {
        properties[each.name] = json::object{{"type", each.type}, {"description", each.description}};
        if (each.required) required.emplace_back(each.name);
    }
    bool needed = !required.empty();
    return {
        {"required", needed},
        {"content",
         json::object{{"application/json",
                       json::object{{"schema", object_of(std::move(properties), std::move(required))}}}}}};
}

json::object operation(const ApiRoute& route) {
    json::array parameters;
    if (std::size_t open = route.path.find('{'); open != route.path.npos) {
        parameters.push_back(json::object{{"name", route.path.substr(open + 1, route.path.size() - open - 2)},
                                          {"in", "path"},
                                          {"required", true},
                                          {"schema", type("string")}});
    }
    for (const ApiParameter& each : route.query) {
        parameters.push_back(json::object{{"name", each.name},
                                          {"in", "query"},
                                          {"description", each.description},
                                          {"schema", type(each.type)}});
    }
    json::object responses{{std::to_string(route.status), answer_of("It was done.", route.answer)},
                           {"default", answer_of("Why not.", "Error")}};
    if (route.needs_record)
        responses["503"] =
            answer_of("Calls cannot be recorded now. Retry-After says when to ask again.", "Error");
    json::object described{{"summary", route.summary}, {"parameters", std::move(parameters)}};
    if (!route.body.empty()) described["requestBody"] = body_of(route);
    described["responses"] = std::move(responses);
    return described;
}

}  // namespace

std::span<const ApiRoute> api_routes() { return routes(); }

json::object openapi(std::string_view version) {
    json::object paths;
    for (const ApiRoute& route : routes()) {
        json::value& path = paths[route.path];
        if (!path.is_object()) path = json::object{};
        std::string method(route.method);
        for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
        path.as_object()[method] = operation(route);
    }
    return {{"openapi", "3.1.0"},
            {"info", json::object{{"title", "Troupe"}, {"version", version}}},
            {"paths", std::move(paths)},
            {"components",
             json::object{{"schemas", schemas()},
                          {"securitySchemes",
                           json::object{{"bearer", json::object{{"type", "http"}, {"scheme", "bearer"}}}}}}},
            {"security", json::array{json::object{{"bearer", json::array{}}}, json::object{}}}};
}

}  // namespace api
