// One request being answered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mcp/message.h"
#include "mcp/peer.h"
#include "tools/client.h"

namespace mcp {

enum class Era { Legacy, Modern };

// What is known about a client: from the handshake, or from the envelope of one request.
struct ClientState {
    Era era = Era::Legacy;
    std::string version;
    json::object capabilities;
    // The least severe level it wants to see; nothing means none.
    std::optional<tools::MessageLevel> log_level;
    tools::Caller caller;
};

std::optional<tools::MessageLevel> parse_message_level(std::string_view name);

// Sends a request to a legacy client on the given outlet and gives its answer.
using AskClient = std::function<Task<json::value>(std::string method, json::object params, Outlet& outlet)>;

// A request, its client and the way back; what a tool sees of its client.
class Exchange final : public tools::Client {
public:
    Exchange(Request request, std::shared_ptr<const ClientState> client, std::shared_ptr<Outlet> outlet,
             AskClient ask);

    const Request& request() const { return request_; }
    const ClientState& client() const { return *client_; }
    Era era() const { return client_->era; }
    Outlet& outlet() const { return *outlet_; }

    const tools::Caller& caller() const override { return client_->caller; }
    bool answers(std::string_view method) const override;
    void report_progress(double progress, std::optional<double> total, std::string_view message) override;
    void log(tools::MessageLevel level, std::string_view logger, json::value data) override;
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest> requests) override;
    void enter(tools::CallStage stage) override { stage_ = std::move(stage); }
    const tools::CallStage& stage() const { return stage_; }
    void release_stream() override { outlet_->release_stream(); }

    // The client took its request back and expects no answer.
    void cancel() { cancelled_ = true; }
    bool is_cancelled() const { return cancelled_; }

    // Modern: the answers that earlier rounds gave and that this request brought. `claim` is true the first
    // time that a request with this state asks.
    void set_answers(json::object sealed, const json::object* brought, std::function<bool()> claim);

    // Why the handler could not go on, when it could not.
    struct Pending {
        std::vector<tools::InputRequest> missing;  // ask the client, then run again
        json::object answers;                      // what is known so far
    };
    const std::optional<Pending>& pending() const { return pending_; }
    // The capability that the client lacks, as the protocol wants it named: {"sampling":{}}.
    const std::optional<json::object>& missing_capability() const { return missing_capability_; }

private:
    Request request_;
    std::shared_ptr<const ClientState> client_;
    std::shared_ptr<Outlet> outlet_;
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
