// One request being answered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mcp/call_middleware.h"
#include "mcp/message.h"
#include "mcp/peer.h"
#include "tools/client.h"

namespace mcp {

enum class Era { Legacy, Modern };

// The facts known about a client: from the handshake, or from the envelope of one request.
struct ClientState {
    Era era = Era::Legacy;
    std::string version;
    json::object capabilities;
    // The least severe level the client wants to see; nothing means none.
    std::optional<tools::MessageLevel> log_level;
    tools::Caller caller;
};

std::optional<tools::MessageLevel> parse_message_level(std::string_view name);

// Sends a request to a legacy client on the given sink and returns its answer.
using AskClient =
    std::function<Task<json::value>(std::string method, json::object params, ResponseSink& sink)>;

// A request, its client and its response sink. Tools see it as their client.
class RequestContext final : public tools::Client {
public:
    RequestContext(Request request, std::shared_ptr<const ClientState> client,
                   std::shared_ptr<ResponseSink> sink, AskClient ask);

    const Request& request() const { return request_; }
    const ClientState& client() const { return *client_; }
    Era era() const { return client_->era; }
    ResponseSink& sink() const { return *sink_; }

    const tools::Caller& caller() const override { return client_->caller; }
    bool answers(std::string_view method) const override;
    bool wants_progress() const override { return progress_token_.has_value(); }
    void report_progress(double progress, std::optional<double> total, std::string_view message) override;
    void log(tools::MessageLevel level, std::string_view logger, json::value data) override;
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest> requests) override;
    void enter(tools::CallStage stage) override { stage_ = std::move(stage); }
    const tools::CallStage& stage() const { return stage_; }
    void release_stream() override { sink_->release_stream(); }

    // Called when the client cancels its request and expects no answer.
    void cancel() { cancelled_ = true; }
    bool is_cancelled() const { return cancelled_; }

    // Redacts the texts that it sends before the answer; null: none.
    void redact_with(const CallMiddleware* middleware) { middleware_ = middleware; }

    // Modern: the answers from earlier rounds and those that this request brought. `claim` returns true the
    // first time that a request with this state calls it.
    void set_answers(json::object sealed, const json::object* brought, std::function<bool()> claim);

    // The reason why the handler could not go on, if it could not.
    struct Pending {
        std::vector<tools::InputRequest> missing;  // ask the client, then run again
        json::object answers;                      // the answers so far
    };
    const std::optional<Pending>& pending() const { return pending_; }
    // The capability that the client lacks, as the protocol wants it named: {"sampling":{}}.
    const std::optional<json::object>& missing_capability() const { return missing_capability_; }

private:
    // Whether the client declared that it answers this request; forms and URLs are two modes.
    bool answers(const tools::InputRequest& request) const;

    std::string redacted(std::string_view text) const;
    // Every text in the value. Numbers in free data count as text; those in a schema belong to its form.
    enum class Numbers { Keep, Redact };
    json::value redacted(json::value value, Numbers numbers) const;

    const CallMiddleware* middleware_ = nullptr;
    Request request_;
    std::shared_ptr<const ClientState> client_;
    std::shared_ptr<ResponseSink> sink_;
    AskClient ask_;
    std::optional<RequestId> progress_token_;
    std::optional<double> last_progress_;
    bool cancelled_ = false;
    tools::CallStage stage_;
    json::object answers_;
    const json::object* brought_ = nullptr;
    std::function<bool()> claim_;
    std::optional<Pending> pending_;
    std::optional<json::object> missing_capability_;
};

}  // namespace mcp
