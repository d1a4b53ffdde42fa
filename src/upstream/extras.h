// What a server offers besides tools: its prompts and resources, as ours.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "mcp/client.h"
#include "tools/registry.h"
#include "upstream/tool_cache.h"

namespace upstream {

// Lists them as a server described them, and has them answered by the server of the session that asks. Lives
// on the loop; the registry outlives it.
class Extras {
public:
    // A request to the server of the client's session.
    using Ask =
        std::function<Task<mcp::RawResult>(std::string method, json::object params, tools::Client& client)>;
    // Whether the caller's session has such a server.
    using Serves = std::function<bool(const tools::Caller& caller)>;

    Extras(tools::Registry& registry, Ask ask, Serves serves);
    ~Extras();

    // In place of what was offered before. A prompt that has the name of one of ours is prefixed; of
    // resources with one address ours is read.
    void offer(const Offerings& offerings);

private:
    class Resources;

    tools::Registry& registry_;
    Ask ask_;
    Serves serves_;
    std::map<std::string, json::object> prompts_;  // by the name we offer them under
    std::shared_ptr<Resources> resources_;         // null until there are some
};

}  // namespace upstream
