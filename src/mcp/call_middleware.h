// Interfaces that record tool calls and their results.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tools/tool.h"

namespace mcp {

// Member of `_meta` in a stateless result: the ref under which the call is recorded.
inline constexpr std::string_view kMetaRef = "troupe/refId";
// Member of `_meta` in a call: the caller's own name for it, unique in its session.
inline constexpr std::string_view kMetaRequest = "troupe/requestId";

// A call as the protocol layer passes it on.
struct CallInfo {
    std::shared_ptr<const tools::Tool> tool;
    const json::value& arguments;
    const tools::Caller& caller;
    std::string request_id = {};  // may be empty
};

// One call in progress. Destroying it before its end means that the call was cancelled.
class RecordedCall {
public:
    // Renders a result as JSON text. Called on any thread, perhaps after the call was dropped: it holds no
    // references.
    using Render = std::function<std::string(tools::ToolResult result)>;

    virtual ~RecordedCall() = default;
    // Fails when the call asks for an answer form that does not exist; the call then does not run.
    virtual Result<void> check() const { return ok(); }
    // Called after the rules have judged the call, before it runs. A refused call creates nothing that is not
    // there without it, such as the session that it would have been the first call of.
    virtual void start(bool admitted) { (void)admitted; }
    // Empty when this call cannot be read back.
    virtual const std::string& ref_id() const = 0;
    // The arguments that the tool receives.
    virtual const json::value& arguments() const = 0;
    // Returns the text to send, which may show less than the whole result.
    virtual Task<std::string> finish(tools::ToolResult result, Render render) = 0;
    // The call ends without a result.
    virtual void give_up(std::string why) = 0;
};

// Lives on the main loop, longer than the calls.
class CallMiddleware {
public:
    virtual ~CallMiddleware() = default;
    virtual std::unique_ptr<RecordedCall> begin(const CallInfo& call) = 0;
    // Returns the contents to send to a client that reads a resource.
    virtual tools::ResourceContents shown(tools::ResourceContents contents) { return contents; }
    // Returns any other text to send with secrets redacted.
    virtual std::string redacted(std::string text) const { return text; }
    // The same for a serialized JSON text: its strings and keys. Numbers are those of schemas and lists.
    virtual std::string redacted_json(std::string text) const { return text; }
};

}  // namespace mcp
