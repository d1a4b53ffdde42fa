// Checks a call before its tool runs: who may call which tools, how often, and which calls a person has to
// confirm.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policy/call_rules.h"
#include "session/secrets.h"
#include "tools/tool.h"

namespace tools {

// Returns the rule that forbids a tool to every caller; nothing when no rule does.
using RefuseTool = std::function<std::optional<std::string>(const std::string& name)>;
// The rule that forbids every tool it does not name.
inline constexpr std::string_view kAllowedToolsRule = "security.allowedTools";

// The name that rules use for the modules of --init-page, which run on the host as browser_run_code_unsafe
// does.
inline constexpr std::string_view kInitPage = "init_page";

struct CallGateOptions {
    RefuseTool refuse = {};
    std::vector<policy::CallRule> rules = {};
    // True: a principal may run code on the host only when a rule names both the principal and the tool.
    bool several_principals = false;
    std::vector<std::string> confirm = {};  // glob patterns of tool names
    std::chrono::milliseconds confirm_timeout{120'000};
    session::Secrets secrets = session::Secrets({});  // redacted from questions
    // Called on every refusal, and on every confirmed call.
    std::function<void(const policy::Denial& denial)> denied = {};
    std::function<void(const policy::Denial& asked)> confirmed = {};
};

// Lives on the main loop.
class CallGate {
public:
    CallGate(Loop& loop, CallGateOptions options)
        : loop_(loop), options_(std::move(options)), rules_(options_.rules) {}

    // Whether the tool is listed to the caller.
    bool lists(const Tool& tool, const Caller& caller) const;
    // Whether the list depends on the caller.
    bool distinguishes_callers() const { return !rules_.empty() || options_.several_principals; }
    // For other routes to the same information: fails as a call of the tool would.
    Result<void> permit(const Tool& tool, const Caller& caller) const;
    Result<void> permit(const std::string& tool, const Caller& caller) const {
        return permit(Tool{.name = tool}, caller);
    }
    // Runs before the tool. Fails with PolicyDenied, naming the rule, or with ResourceExhausted when the
    // caller exceeds its rate limit. May ask the client.
    Task<> admit(const Tool& tool, Call call);

private:
    bool has_rules() const { return options_.refuse || !rules_.empty(); }

    struct Broken {
        std::string rule;
        std::string tool;  // the one that the rule forbids: the called one, or one that does the same
    };
    // One of the tools that do the same.
    struct Alternative {
        std::string tool;
        std::string_view capability;
    };
    static const std::vector<Alternative> kNavigation, kScripts;

    std::optional<Broken> broken_rule(const Tool& tool, const policy::Subject& who) const;
    // The rule that a call with these arguments breaks.
    std::optional<Broken> broken_by_call(const Tool& tool, const json::value& arguments,
                                         const policy::Subject& who) const;
    // The rule that denies the tool, by name or pattern; not one that only does not allow it.
    std::optional<std::string> denial_of(const std::string& tool, const policy::Subject& who) const;
    std::optional<Broken> denial_of_any(const std::vector<std::string>& tools,
                                        const policy::Subject& who) const;
    // The rule that keeps the caller from work which each of these tools does. Lists of allowed tools need
    // to name only one of them.
    std::optional<Broken> broken_by_work(const std::vector<Alternative>& tools,
                                         const policy::Subject& who) const;
    bool has_to_be_confirmed(const Tool& tool, const json::value& arguments) const;
    Task<> confirm(const Tool& tool, Call call, policy::Denial asked);

    Loop& loop_;
    CallGateOptions options_;
    policy::CallRules rules_;
};

}  // namespace tools
