// The client that made a call, as the code that answers the call sees it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/async.h"
#include "util/json.h"

namespace tools {

// Who is calling. Policy and session ownership go by this.
struct Caller {
    std::string connection;         // unguessable id of the connection; empty in the stateless protocol
    std::string principal;          // who was authenticated; empty when nobody had to be
    std::string path_name;          // <name> of /mcp/<name>; empty elsewhere
    std::string session_name = {};  // the sessionId argument of a call; empty: none was given
    std::string tab_id = {};        // the targetId argument; empty: the current tab
    std::string agent = {};         // a name for logs and records; empty: client_name
    std::string client_name;
    std::string client_version;
    std::string directory = {};  // the client's working directory; empty when it did not say
    // It runs as the server's user on this machine: on standard input, or a Unix socket. Its word on files
    // counts.
    bool same_user = false;

    const std::string& label() const { return agent.empty() ? client_name : agent; }
};

enum class MessageLevel { Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency };

// One question to the client's user, model or workspace.
struct InputRequest {
    std::string key;     // names the answer; unique within a call
    std::string method;  // elicitation/create, sampling/createMessage or roots/list
    json::object params;
    bool once = false;  // an answer counts for one run of the call, not for another one like it
};

InputRequest elicit(std::string key, std::string_view message, json::object requested_schema);
InputRequest sample(std::string key, std::string_view prompt, int max_tokens);
InputRequest list_roots(std::string key);

// What a call is doing, for whoever has to say why it has no answer.
struct CallStage {
    std::string what = "its beginning";  // what it waits for
    Deadline limit = Deadline::never();  // by when that is over; never: by the call's deadline
    std::string session = {};            // in which it runs; empty: the caller's own
};

// What a running call may tell or ask its client.
class Client {
public:
    virtual ~Client() = default;

    virtual const Caller& caller() const = 0;
    // Whether the client declared that it answers `method`.
    virtual bool answers(std::string_view method) const = 0;

    // Does nothing for a client that did not ask for progress.
    virtual void report_progress(double progress, std::optional<double> total, std::string_view message) = 0;
    virtual void log(MessageLevel level, std::string_view logger, json::value data) = 0;

    // Gives the answers by key. Where the protocol cannot ask during a call, the call ends here and runs
    // again from its start once the client has the answers: ask before changing anything.
    virtual Task<std::map<std::string, json::value>> ask(std::vector<InputRequest> requests) = 0;

    // What the call waits for from now on.
    virtual void enter(CallStage) {}

    // Ends the HTTP stream of this call early; the client comes back for the rest. No effect elsewhere.
    virtual void release_stream() {}
};

}  // namespace tools
