// An MCP server that misbehaves when told to: by its arguments at the start, by its tools later.
// With --port it is a plain one over HTTP.
#include <charconv>
#include <cstdio>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/service.h"
#include "util/json.h"

namespace {

// As no serializer of ours would write it.
constexpr std::string_view kOddResult =
    R"({ "content" : [ {"type":"text","text":"\u00e4 \/"} ],  "future":1.50, "_meta": {"x":[ ]} })";

void write_line(std::string_view text) { std::cout << text << '\n' << std::flush; }

void answer(const json::value& id, std::string_view result) {
    write_line(R"({"jsonrpc":"2.0","id":)" + json::serialize(id) + R"(,"result":)" + std::string(result) +
               "}");
}

std::string text_result(std::string_view text) {
    std::string quoted;
    json::append_string(quoted, text);
    return R"({"content":[{"type":"text","text":)" + quoted + "}]}";
}

// A process in a session of its own, as browsers are.
pid_t start_daemon() {
    pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::setsid();
    ::execlp("sleep", "sleep", "1000", nullptr);
    ::_exit(127);
}

class FakeServer {
public:
    explicit FakeServer(std::string flags) : flags_(std::move(flags)) {
        for (std::string name :
             {"odd",     "pid",          "daemon", "cancelled", "fails",    "forget",
              "crash",   "freeze",       "flood",  "garbage",   "progress", "grow",
              "missing", "capabilities", "ask",    "withdraw",  "log",      "browser_navigate",
              "flags",   "client",       "mutter", "watched"})
            add_tool(name);
        if (has_flag("--changed") || has_flag("--newer")) add_tool("news");
        if (has_flag("--closes")) add_tool("browser_close");
        if (has_flag("--own-session"))
            tools_ +=
                R"(,{"name":"own_session","inputSchema":{"type":"object","properties":{"session":{}}}})";
    }

    void add_tool(const std::string& name) {
        tools_ += R"(,{"name":")" + name + R"(","inputSchema":{"type":"object"}})";
    }

    void take(const json::object& message) {
        std::string method(json::find_string(message, "method").value_or(""));
        const json::value* id = json::find(message, "id");
        if (method == "notifications/cancelled") ++cancelled_;
        if (!id) return;
        if (method.empty()) return take_answer(message);
        if (method == "initialize") return greet(*id, message.at("params"));
        if (method == "tools/list") return answer(*id, R"({"tools":[)" + tools_ + "]}");
        if (method == "tools/call") return call(*id, *json::find_object(message, "params"));
        if (!take_extra(method, *id, message)) answer(*id, "{}");
    }

private:
    bool has_flag(std::string_view flag) const { return flags_.find(flag) != flags_.npos; }

    void greet(const json::value& id, const json::value& params) {
        capabilities_ = json::serialize(params.at("capabilities"));
        client_ = json::serialize(params.at("clientInfo"));
        std::string extras = has_flag("--extras") ? R"(,"prompts":{},"resources":{})" : "";
        std::string version = has_flag("--newer") ? "2" : "1";
        answer(id, R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true})" +
                       extras + R"(},"serverInfo":{"name":"fake","version":")" + version + "\"}}");
    }

    // Prompts and resources. False: it is about something else.
    bool take_extra(std::string_view method, const json::value& id, const json::object& message) {
        if (method == "prompts/list") {
            answer(id, R"({"prompts":[{"name":"greet","title":"Greet","arguments":[{"name":"who",)"
                       R"("required":true}]},{"name":"taken","description":"Theirs"}]})");
        } else if (method == "prompts/get") {
            answer(id, R"({ "messages" : [], "asked":)" + json::serialize(message.at("params")) + "}");
        } else if (method == "resources/list") {
            answer(id, R"({"resources":[{"uri":"fake://note","name":"note","mimeType":"text/plain"}]})");
        } else if (method == "resources/templates/list") {
            answer(id, R"({"resourceTemplates":[{"uriTemplate":"fake://{name}","name":"any"}]})");
        } else if (method == "resources/read") {
            std::string uri(message.at("params").at("uri").get_string());
            if (uri.starts_with("fake://"))
                answer(id, R"({"contents":[{"uri":")" + uri + R"(","text":"of )" +
                               std::to_string(::getpid()) + "\"}]}");
            else
                refuse(id, -32002, "No resource " + uri);
        } else if (method == "resources/subscribe" || method == "resources/unsubscribe") {
            std::string uri(message.at("params").at("uri").get_string());
            answer(id, "{}");
            watched_ = method == "resources/subscribe" ? uri : "";
            if (!watched_.empty()) notify_update();
        } else {
            return false;
        }
        return true;
    }

    // As after a change of the resource that is subscribed to.
    void notify_update() const {
        write_line(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":)" +
                   json::serialize(json::value(watched_)) + "}}");
    }

    static void refuse(const json::value& id, int code, const std::string& message) {
        write_line(R"({"jsonrpc":"2.0","id":)" + json::serialize(id) + R"(,"error":{"code":)" +
                   std::to_string(code) + R"(,"message":")" + message + "\"}}");
    }

    void call(const json::value& id, const json::object& params) {
        std::string name(json::find_string(params, "name").value_or(""));
        if (name == "echo" || name == "own_session")
            return answer(id, text_result(json::serialize(params.at("arguments"))));
        if (name == "watched") return answer(id, text_result(watched_));
        if (name == "odd") return answer(id, kOddResult);
        if (name == "pid") return answer(id, text_result(std::to_string(::getpid())));
        if (name == "daemon") return answer(id, text_result(std::to_string(start_daemon())));
        if (name == "cancelled") return answer(id, text_result(std::to_string(cancelled_)));
        if (name == "fails") return answer(id, R"({"content":[],"isError":true})");
        if (name == "forget") return;
        if (name == "crash") {
            std::cerr << "out of luck" << std::endl;
            ::_exit(3);
        }
        if (name == "freeze")
            for (;;) ::pause();
        if (name == "flood") return answer(id, text_result(std::string(100UL * 1024 * 1024, 'x')));
        if (name == "garbage") {
            write_line("Listening... {\"half\":");
            write_line("\x01\xff[[[");
            return answer(id, text_result("fine"));
        }
        if (name == "progress") return progress(id, params);
        if (name == "flags") return answer(id, text_result(flags_));
        if (name == "capabilities") return answer(id, text_result(capabilities_));
        if (name == "client") return answer(id, text_result(client_));
        if (name == "mutter" || name == "browser_close") {
            std::cerr << (name == "mutter" ? params.at("arguments").at("line").get_string().c_str() : name)
                      << std::endl;
            return answer(id, text_result("said"));
        }
        if (name == "browser_navigate")
            return answer(id, text_result("at " + json::serialize(params.at("arguments"))));
        if (name == "log") {
            write_line(R"({"jsonrpc":"2.0","method":"notifications/message",)"
                       R"("params":{"level":"warning","logger":"fake","data":"careful"}})");
            return answer(id, text_result("logged"));
        }
        if (name == "ask" || name == "withdraw") return ask(id, params, name == "ask");
        if (name == "grow") {
            add_tool("grown");
            write_line(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
            return answer(id, text_result("grown"));
        }
        refuse(id, -32602, "No tool " + name);
    }

    // Asks the client what the arguments say, and answers the call with what comes back. `withdraw` does not
    // wait for it.
    void ask(const json::value& id, const json::object& params, bool waits) {
        asking_ = id;
        const json::value& arguments = params.at("arguments");
        write_line(R"({"jsonrpc":"2.0","id":"question","method":)" + json::serialize(arguments.at("method")) +
                   R"(,"params":)" + json::serialize(arguments.at("params")) + "}");
        if (waits) return;
        write_line(
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"question"}})");
        answer(id, text_result("withdrawn"));
    }
    void take_answer(const json::object& message) {
        const json::value* given = message.contains("result") ? &message.at("result") : &message.at("error");
        answer(asking_, text_result(json::serialize(*given)));
    }

    static void progress(const json::value& id, const json::object& params) {
        const json::object* meta = json::find_object(params, "_meta");
        for (int i = 1; meta && i <= 2; ++i)
            write_line(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
                       json::serialize(meta->at("progressToken")) + R"(,"progress":)" + std::to_string(i) +
                       R"(,"total":2,"message":"step"}})");
        answer(id, text_result("done"));
    }

    std::string tools_ =
        R"({"name":"echo","title":"Echo","description":"Says it again","futureField":[1],)"
        R"("inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"},)"
        R"("annotations":{"readOnlyHint":true}})";
    std::string flags_;
    int cancelled_ = 0;
    std::string capabilities_, client_, watched_;
    json::value asking_;
};

Task<tools::ToolResult> tell_pid(tools::Call) {
    co_return tools::ToolResult::text(std::to_string(::getpid()));
}

int serve_http(int port) {
    Loop loop(1);
    Log log = Log::silent();
    Metrics metrics;
    tools::Registry registry;
    registry.add(tools::Tool{.name = "pid", .input_schema = {{"type", "object"}}, .run = tell_pid});
    transport::ServiceOptions options;
    options.port = port;
    return transport::run_service(loop, registry, std::move(options), log, metrics) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    std::string flags;
    for (int i = 1; i < argc; ++i) {
        std::string_view flag = argv[i];
        flags.append(flags.empty() ? "" : " ").append(flag);
        if (flag == "--port" && i + 1 < argc) return serve_http(std::atoi(argv[i + 1]));
        if (flag == "--silent")
            for (;;) ::pause();
        if (flag == "--broken") {
            std::cerr << "no such module" << std::endl;
            return 1;
        }
        if (flag == "--throws") {
            std::cerr << "Error: no such device\n    at emulateError (x.js:1)\n\nNode.js v20" << std::endl;
            return 1;
        }
        if (flag == "--chatty") {
            write_line("Welcome to the server!");
            for (;;) ::pause();
        }
        // As Playwright's server would be told from others.
        if (flag == "--help") {
            if (flags.find("playwright") != flags.npos)
                std::cout << "  --config <path>\n  --isolated\n  --user-data-dir <path>\n"
                             "  --shared-browser-context\n  --viewport-size <size>\n  --user-agent <text>\n";
            return 0;
        }
        if (flag == "--slow") ::usleep(300'000);
        if (flag == "--noisy") write_line("Welcome to the server!");
    }
    FakeServer server(flags);
    for (std::string line; std::getline(std::cin, line);)
        if (auto message = json::parse(line); message && message->is_object())
            server.take(message->get_object());
    return 0;
}
