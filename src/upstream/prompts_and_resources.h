// Offers a server's prompts and resources as ours.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "mcp/client.h"
#include "tools/registry.h"
#include "upstream/tool_cache.h"

namespace upstream {

// Lists them as the server described them, and forwards requests to the server of the caller's session. Lives
// on the loop; the registry outlives it.
class PromptsAndResources {
public:
    // Sends a request to the server of the client's session.
    using Ask =
        std::function<Task<mcp::RawResult>(std::string method, json::object params, tools::Client& client)>;
    // Whether the caller's session has such a server.
    using Serves = std::function<bool(const tools::Caller& caller)>;
    // Subscribes the caller's session to the resource until the handle is dropped.
    using Watch = std::function<std::shared_ptr<void>(const std::string& uri, const tools::Caller& caller)>;

    PromptsAndResources(tools::Registry& registry, Ask ask, Serves serves, Watch watch);
    ~PromptsAndResources();

    // Replaces what was offered before. A prompt with the name of one of ours gets a prefix; of resources
    // with the same URI, ours is read.
    void offer(const Offerings& offerings);

private:
    class Resources;

    tools::Registry& registry_;
    Ask ask_;
    Serves serves_;
    Watch watch_;
    std::map<std::string, json::object> prompts_;  // by the name we offer them under
    std::shared_ptr<Resources> resources_;         // null until there are some
};

}  // namespace upstream
