// Who keeps what tools were asked and what they answered.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tools/tool.h"

namespace mcp {

// In the _meta of a result of the stateless era: under which ref its call is kept.
inline constexpr std::string_view kMetaRef = "troupe/refId";
// In the _meta of a call: the caller's own name for it, unique in its session.
inline constexpr std::string_view kMetaRequest = "troupe/requestId";

// A call as the protocol hands it over.
struct CallToKeep {
    std::shared_ptr<const tools::Tool> tool;
    const json::value& arguments;
    const tools::Caller& caller;
    std::string request_id = {};  // may be empty
};

// One call under way. Dropped before its end, it was cancelled.
class KeptCall {
public:
    // The JSON text that a result becomes.
    using Render = std::function<std::string(tools::ToolResult result)>;

    virtual ~KeptCall() = default;
    // Empty: this call can not be read back.
    virtual const std::string& ref_id() const = 0;
    // What the tool is to see.
    virtual const json::value& arguments() const = 0;
    // Gives the text to send, which may show less than the whole result.
    virtual Task<std::string> finish(tools::ToolResult result, Render render) = 0;
    // The call ends without a result.
    virtual void give_up(std::string why) = 0;
};

// Lives on the main loop, longer than the calls.
class CallKeeper {
public:
    virtual ~CallKeeper() = default;
    virtual std::unique_ptr<KeptCall> begin(const CallToKeep& call) = 0;
    // What is sent of a resource that somebody reads.
    virtual tools::ResourceContents shown(tools::ResourceContents contents) { return contents; }
    // What is sent of any other text, JSON included.
    virtual std::string redacted(std::string text) const { return text; }
};

}  // namespace mcp
