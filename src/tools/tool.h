// A tool that an agent can call, declared as one literal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schema/params.h"
#include "tools/client.h"
#include "tools/content.h"
#include "util/async.h"
#include "util/task.h"

namespace tools {

// What a call may change; clients turn it into confirmation prompts.
enum class Effect {
    ReadsPage,     // looks at the web, changes nothing
    ChangesPage,   // acts on the web
    ReadsServer,   // looks at this server's own state
    ChangesServer  // changes this server's own state
};

// A running call. Borrowed by the handler until its Task completes.
struct Call {
    const json::value& arguments;
    Client& client;
    Deadline deadline;
};

struct Tool {
    std::string name;
    std::string title;
    std::string description;
    Effect effect = Effect::ChangesPage;
    std::string capability;  // empty: always on
    json::object input_schema;
    json::object output_schema;  // empty: answers in text
    std::function<Task<ToolResult>(Call)> run;
    // Another server's description of its tool: listed unchanged, in place of the above.
    json::object raw_json = {};
    bool acts_in_session = false;        // accepts the name of a session
    bool stateless_only = false;         // listed only to callers without a connection
    json::object stateless_schema = {};  // their schema in place of input_schema; empty: the same
    // Other names that calls may use. Rules and records know the tool by `name`.
    std::vector<std::string> aliases = {};

    const json::object& schema_for(const Caller& caller) const {
        return caller.connection.empty() && !stateless_schema.empty() ? stateless_schema : input_schema;
    }
};

// The literal that a tool file writes: see src/tools/config.cc.
template <class Params>
struct ToolLiteral {
    std::string name;
    std::string title;
    std::string description;
    Effect effect = Effect::ChangesPage;
    std::string capability = {};
    schema::ParamList<Params> params = {};
    json::object output_schema = {};
    std::function<Task<ToolResult>(Call, Params)> handler;
};

// The answer to invalid arguments, worded as upstream words it.
ToolResult invalid_arguments(std::string_view tool, const Error& error);
// The same for a tool that answers in JSON.
ToolResult refuse_arguments(const Error& error);
// Adds to an answer in text which arguments of the call were ignored: see ParamList::decode.
void note_ignored(ToolResult& result, const std::vector<std::string>& ignored);
// Adds to an answer in JSON, as "ignoredArguments", which arguments are none of the tool's.
void note_foreign(ToolResult& result, std::vector<std::string> foreign);

namespace detail {
template <class Params>
Task<ToolResult> run_checked(const std::shared_ptr<const ToolLiteral<Params>> literal, Call call) {
    std::vector<std::string> ignored, foreign;
    bool in_json = !literal->output_schema.empty();
    Result<Params> params = literal->params.decode(call.arguments, in_json ? nullptr : &ignored, &foreign);
    if (!params && in_json) co_return refuse_arguments(params.error());
    if (!params) co_return invalid_arguments(literal->name, params.error());
    ToolResult result = co_await literal->handler(call, std::move(params).value());
    note_ignored(result, ignored);
    if (in_json) note_foreign(result, std::move(foreign));
    co_return result;
}
}  // namespace detail

// Turns the literal into a Tool: derives the schema from the params and checks arguments before the handler
// runs.
template <class Params>
Tool tool(ToolLiteral<Params> literal) {
    auto shared = std::make_shared<const ToolLiteral<Params>>(std::move(literal));
    return {
        .name = shared->name,
        .title = shared->title,
        .description = shared->description,
        .effect = shared->effect,
        .capability = shared->capability,
        .input_schema = shared->params.to_schema(),
        .output_schema = shared->output_schema,
        .run = [shared](Call call) { return detail::run_checked<Params>(shared, call); },
    };
}

}  // namespace tools
