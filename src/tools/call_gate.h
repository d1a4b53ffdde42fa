// What stands between a caller and the tools: rules about who may call what, how often, and what a person has
// to confirm.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policy/call_rules.h"
#include "session/secrets.h"
#include "tools/tool.h"

namespace tools {

// The rule that forbids a tool to everybody; nothing when none does.
using RefuseTool = std::function<std::optional<std::string>(const std::string& name)>;

// What rules call the modules of --init-page, which run on the host as browser_run_code_unsafe does.
inline constexpr std::string_view kInitPage = "init_page";

struct CallGateOptions {
    RefuseTool refuse = {};
    std::vector<policy::CallRule> rules = {};
    // Code on the host is then for principals whose rule names them and it.
    bool several_principals = false;
    std::vector<std::string> confirm = {};  // globs of tools
    std::chrono::milliseconds confirm_timeout{120'000};
    session::Secrets secrets = session::Secrets({});  // kept out of questions
    // Told of every refusal, and of what was confirmed.
    std::function<void(const policy::Denial& denial)> denied = {};
    std::function<void(const policy::Denial& asked)> confirmed = {};
};

// Lives on the main loop.
class CallGate {
public:
    CallGate(Loop& loop, CallGateOptions options)
        : loop_(loop), options_(std::move(options)), rules_(options_.rules) {}

    // Whether the caller is shown the tool.
    bool lists(const Tool& tool, const Caller& caller) const;
    // Whether that depends on the caller.
    bool tells_callers_apart() const { return !rules_.empty() || options_.several_principals; }
    // For what tells the same as the tool: fails as a call of it would.
    Result<void> permit(const std::string& tool, const Caller& caller) const;
    // Before the tool runs. Fails with PolicyDenied by naming the rule, or with ResourceExhausted when the
    // caller has called too often. May ask the client.
    Task<> admit(const Tool& tool, Call call);

private:
    std::optional<std::string> broken_rule(const Tool& tool, const policy::Subject& who) const;
    Task<> confirm(const Tool& tool, Call call, policy::Denial asked);

    Loop& loop_;
    CallGateOptions options_;
    policy::CallRules rules_;
};

}  // namespace tools
