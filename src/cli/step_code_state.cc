#include "cli/javascript.h"
#include "cli/step_code.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace cli::step_code {
namespace {

using tools::quote;

// page.localStorage is too new for many installations.
Code in_area(const WrittenCall& call, const std::string& function, const std::string& arguments = "") {
    return on_page(call, "evaluate(" + function + (arguments.empty() ? "" : ", ") + arguments + ")");
}

Code set_item(const WrittenCall& call, std::string_view area) {
    return in_area(
        call, "([key, value]) => " + std::string(area) + ".setItem(key, value)",
        "[" + quote(text_of(call.params, "key")) + ", " + quote(text_of(call.params, "value")) + "]");
}

Code delete_item(const WrittenCall& call, std::string_view area) {
    return in_area(call, "key => " + std::string(area) + ".removeItem(key)",
                   quote(text_of(call.params, "key")));
}

constexpr std::string_view kLocal = "localStorage", kSession = "sessionStorage";

}  // namespace

Code set_local_item(const WrittenCall& call) { return set_item(call, kLocal); }

Code delete_local_item(const WrittenCall& call) { return delete_item(call, kLocal); }

Code clear_local_items(const WrittenCall& call) { return in_area(call, "() => localStorage.clear()"); }

Code set_session_item(const WrittenCall& call) { return set_item(call, kSession); }

Code delete_session_item(const WrittenCall& call) { return delete_item(call, kSession); }

Code clear_session_items(const WrittenCall& call) { return in_area(call, "() => sessionStorage.clear()"); }

Code set_cookies(const WrittenCall& call) {
    json::array cookies;
    for (const json::value& each : list_of(call.params, "cookies")) {
        const json::object* given = each.if_object();
        if (!given) continue;
        json::object cookie = *given;
        // Playwright takes an address, or a domain with a path.
        if (cookie.contains("url")) {
            cookie.erase("domain");
            cookie.erase("path");
        } else if (!cookie.contains("path")) {
            cookie["path"] = "/";
        }
        cookies.push_back(std::move(cookie));
    }
    return "await " + context_of(call) + ".addCookies(" + literal(cookies) + ");";
}

namespace {

// The state in the whole answer of save_state, or the state itself.
Code state_code(const WrittenCall& call, const json::value* given) {
    std::optional<json::value> parsed;
    if (given && given->is_string()) {
        if (auto read = json::parse(given->get_string())) parsed = std::move(*read);
        given = parsed ? &*parsed : nullptr;
    }
    for (std::string_view name : {"data", "state"}) {
        const json::object* members = given ? given->if_object() : nullptr;
        const json::value* inner = members ? json::find(*members, name) : nullptr;
        if (inner && inner->is_object()) given = inner;
    }
    if (!given || !given->is_object()) return std::nullopt;
    return "await " + context_of(call) + ".setStorageState(" + literal(*given) + ");";
}

}  // namespace

// A later call may read the file.
Code browser_storage_state(const WrittenCall& call) {
    std::string file = text_of(call.params, "filename");
    if (file.empty()) return "";
    return "await " + context_of(call) + ".storageState({ path: " + quote(file) + " });";
}

Code restore_state(const WrittenCall& call) { return state_code(call, json::find(call.params, "state")); }

Code create_session(const WrittenCall& call) {
    const json::object& params = call.params;
    std::vector<std::string> lines;
    const json::object* viewport = json::find_object(params, "viewport");
    const json::object& size = viewport ? *viewport : params;
    auto width = json::find_integer(size, "width"), height = json::find_integer(size, "height");
    if (width && height) {
        lines.push_back(on_page(call, "setViewportSize({ width: " + std::to_string(*width) +
                                          ", height: " + std::to_string(*height) + " })"));
    }
    if (std::string agent = text_of(params, "userAgent"); !agent.empty()) {
        lines.push_back("await (await " + context_of(call) + ".newCDPSession(" + std::string(call.page) +
                        ")).send('Emulation.setUserAgentOverride', { userAgent: " + quote(agent) + " });");
    }
    if (const json::value* state = json::find(params, "storageState"); state && !state->is_null()) {
        Code restored = state_code(call, state);
        if (!restored) return std::nullopt;
        lines.push_back(std::move(*restored));
    }
    if (params.contains("url")) {
        const json::object* data = call.data.if_object();
        json::object answered = data ? *data : json::object();
        lines.push_back(on_page(call, "goto(" + quote(url_of(params, answered)) + ")"));
    }
    return join(lines, "\n");
}

// The actions of the user, from the answer.
Code stop_recording(const WrittenCall& call) {
    constexpr std::string_view kBegin = "Recorded actions:\n\n```js\n", kEnd = "\n```";
    if (call.answer.contains("No actions were recorded")) return "";
    std::size_t begin = call.answer.find(kBegin);
    if (begin == call.answer.npos) return std::nullopt;
    begin += kBegin.size();
    std::size_t end = call.answer.find(kEnd, begin);
    if (end == call.answer.npos) return std::nullopt;
    return with_variable_renamed(call.answer.substr(begin, end - begin), "page", call.page);
}

// The shown code has keys like text/plain without quotes.
Code browser_drop(const WrittenCall& call) {
    std::size_t method = call.code.rfind(".drop({");
    const json::object* data = json::find_object(call.params, "data");
    if (!data || method == call.code.npos)
        return call.code.empty() ? Code() : with_variable_renamed(call.code, "page", call.page);
    json::object payload{{"data", *data}};
    if (json::array paths = list_of(call.params, "paths"); !paths.empty()) payload["files"] = paths;
    return with_variable_renamed(call.code.substr(0, method), "page", call.page) + ".drop(" +
           json::serialize(payload) + ");";
}

Code close_session(const WrittenCall& call) {
    return on_page(call, "close()") + "\nawait " + context_of(call) + ".clearCookies();";
}

}  // namespace cli::step_code
