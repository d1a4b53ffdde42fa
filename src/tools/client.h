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

// The identity of a caller. Policy and session ownership depend on it.
struct Caller {
    std::string connection;  // unguessable id of the connection; empty in the stateless protocol
    std::string principal;   // the authenticated principal; empty when no authentication is required
    std::vector<std::string> scopes = {};  // of the OAuth access token that the request came with
    std::string path_name;                 // <name> of /mcp/<name>; empty elsewhere
    std::string session_name = {};         // the sessionId argument of a call; empty: none was given
    std::string tab_id = {};               // the targetId argument; empty: the current tab
    std::string agent = {};                // a name for logs and records; empty: client_name
    std::string client_name;
    std::string client_version;
    std::string directory = {};  // the client's working directory; empty when it did not say
    // The client runs as the server's user on this machine: on standard input, or a Unix socket. Its
    // statements about files are trusted.
    bool same_user = false;
    bool lost_session = false;  // the server that held its session has ended, and the session with it

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

// The current activity of a call, for error messages about a call without an answer.
struct CallStage {
    std::string what = "its beginning";  // what it waits for
    Deadline limit = Deadline::never();  // when that wait ends; never: with the call's deadline
    std::string session = {};            // the session it runs in; empty: the caller's own
};

// Lets a running call notify or ask its client.
class Client {
public:
    virtual ~Client() = default;

    virtual const Caller& caller() const = 0;
    // Whether the client declared that it answers `method`.
    virtual bool answers(std::string_view method) const = 0;

    // Whether the client asked for the progress of this call.
    virtual bool wants_progress() const { return false; }
    // Does nothing when the client did not ask for progress.
    virtual void report_progress(double progress, std::optional<double> total, std::string_view message) = 0;
    virtual void log(MessageLevel level, std::string_view logger, json::value data) = 0;

    // Gives the answers by key. Where the protocol cannot ask during a call, the call ends here and runs
    // again from its start once the client has the answers: ask before changing anything.
    virtual Task<std::map<std::string, json::value>> ask(std::vector<InputRequest> requests) = 0;

    // Sets the stage that the call is in from now on.
    virtual void enter(CallStage) {}

    // Ends the HTTP stream of this call early; the client reconnects for the rest. No effect elsewhere.
    virtual void release_stream() {}
};

}  // namespace tools
