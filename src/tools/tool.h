// A tool: what an agent can do, declared as one literal.
#pragma once

#include <functional>
#include <string>

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

// One call under way. Borrowed by the handler until its Task completes.
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
    // Another server's description of its tool: listed as it is, in place of the above.
    json::object as_given = {};
    bool acts_in_session = false;        // whose session is meant can be said by name
    bool stateless_only = false;         // listed only to callers without a connection
    json::object stateless_schema = {};  // what these see instead of input_schema; empty: the same

    const json::object& schema_for(const Caller& caller) const {
        return caller.connection.empty() && !stateless_schema.empty() ? stateless_schema : input_schema;
    }
};

// The literal a tool file writes: see src/tools/config.cc.
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

// The answer to arguments that do not fit, worded as upstream words it.
ToolResult invalid_arguments(std::string_view tool, const Error& error);

namespace detail {
template <class Params>
Task<ToolResult> run_checked(const std::shared_ptr<const ToolLiteral<Params>> literal, Call call) {
    Result<Params> params = literal->params.decode(call.arguments);
    if (!params) co_return invalid_arguments(literal->name, params.error());
    co_return co_await literal->handler(call, std::move(params).value());
}
}  // namespace detail

// Makes the literal a Tool: schema from the params, arguments checked before the handler sees them.
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
