#include "tools/call_gate.h"

#include <algorithm>
#include <array>

#include "tools/confirmation.h"
#include "tools/session_param.h"
#include "util/strings.h"

namespace tools {
namespace {

constexpr std::string_view kConfirmation = "confirmation", kConfirmRule = "security.confirm";
constexpr std::string_view kHostCodeRule =
    "the rule that nobody's code runs on the host of several principals";
// Their code runs with the rights of this server, beyond every boundary between principals.
constexpr std::array<std::string_view, 3> kHostCode = {"browser_run_code_unsafe", "browser_run_code",
                                                       kInitPage};

bool runs_on_host(std::string_view tool) { return std::ranges::find(kHostCode, tool) != kHostCode.end(); }

Error refused(const policy::Denial& denial) {
    std::string hint = "Whoever runs this server decides which tools may be called.";
    if (denial.rule == kHostCodeRule)
        hint =
            "Whoever runs this server can allow it by a rule that names both, as in security.rules: "
            "[{\"principal\": \"" +
            denial.who.principal + "\", \"tools\": [\"" + denial.what + "\", …]}].";
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "Tool \"" + denial.what + "\" is denied by " + denial.rule + ".",
                 .hint = std::move(hint)};
}

Error too_often(const policy::CallRules::Wait& wait) {
    auto seconds = std::chrono::ceil<std::chrono::seconds>(wait.time).count();
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Too many calls: " + wait.rule + " limits them.",
                 .hint = "Call again in " + std::to_string(seconds) + " s.",
                 .details = json::serialize(json::object{{"retryAfterMs", wait.time.count()}})};
}

Error not_confirmed(const std::string& tool, std::string_view why, std::string_view hint) {
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "Tool \"" + tool + "\" needs a person's confirmation (" +
                            std::string(kConfirmRule) + "): " + std::string(why),
                 .hint = std::string(hint)};
}

InputRequest question(const Tool& tool, const json::value& arguments, const policy::Subject& who) {
    InputRequest request = elicit(std::string(kConfirmation), confirmation_text(tool, arguments, who),
                                  {{"type", "object"}, {"properties", json::object{}}});
    request.once = true;
    return request;
}

bool is_accepted(const std::map<std::string, json::value>& answers) {
    auto answer = answers.find(std::string(kConfirmation));
    const json::object* members = answer == answers.end() ? nullptr : answer->second.if_object();
    return members && json::find_string(*members, "action") == "accept";
}

}  // namespace

std::optional<std::string> CallGate::broken_rule(const Tool& tool, const policy::Subject& who) const {
    if (options_.several_principals && !who.principal.empty() && runs_on_host(tool.name) &&
        !rules_.name(who, tool.name))
        return std::string(kHostCodeRule);
    // What whoever runs the server has configured is nobody's call.
    if (tool.name == kInitPage) return std::nullopt;
    auto rule = options_.refuse ? options_.refuse(tool.name) : std::nullopt;
    return rule ? rule : rules_.broken(who, tool.name, tool.capability);
}

bool CallGate::lists(const Tool& tool, const Caller& caller) const {
    return !broken_rule(tool, {.session = caller.path_name, .principal = caller.principal});
}

Result<void> CallGate::permit(const std::string& tool, const Caller& caller) const {
    const std::string& session = caller.session_name.empty() ? caller.path_name : caller.session_name;
    policy::Denial denial{.what = "tool " + tool, .rule = "", .who = {session, caller.principal}};
    auto rule = broken_rule({.name = tool}, denial.who);
    if (!rule) return ok();
    denial.rule = *rule;
    if (options_.denied) options_.denied(denial);
    denial.what = tool;
    return refused(denial);
}

Task<> CallGate::admit(const Tool& tool, Call call) {
    const Caller& caller = call.client.caller();
    policy::Denial denial{
        .what = "tool " + tool.name,
        .rule = "",
        .who = {.session = session_named(tool, caller, call.arguments), .principal = caller.principal}};
    auto deny = [&](std::string rule) {
        denial.rule = std::move(rule);
        if (options_.denied) options_.denied(denial);
    };
    if (auto rule = broken_rule(tool, denial.who)) {
        deny(*rule);
        denial.what = tool.name;
        co_await refused(denial);
    }
    if (auto wait = rules_.take(denial.who, policy::CallRules::Clock::now())) {
        deny(wait->rule);
        co_await too_often(*wait);
    }
    auto fits = [&](const std::string& pattern) { return matches_glob(tool.name, pattern); };
    if (std::ranges::none_of(options_.confirm, fits)) co_return;
    denial.rule = kConfirmRule;
    co_await confirm(tool, call, std::move(denial));
}

Task<> CallGate::confirm(const Tool& tool, Call call, policy::Denial asked) {
    auto deny = [&](std::string_view why, std::string_view hint) {
        if (options_.denied) options_.denied(asked);
        return not_confirmed(tool.name, why, hint);
    };
    InputRequest request = question(tool, options_.secrets.redact_all(call.arguments), asked.who);
    if (!call.client.answers(request.method))
        co_await deny(
            "the client cannot ask one, for it did not declare the capability elicitation.",
            "Use a client that can, or ask whoever runs this server to take the tool off the list.");
    Deadline deadline = call.deadline.earlier(Deadline::in(options_.confirm_timeout));
    auto answers = co_await as_result(
        with_deadline(loop_, call.client.ask({std::move(request)}), deadline, "The confirmation"));
    // The stateless protocol cannot ask within a call: it ends here, to be made again with the answer.
    if (!answers && answers.error().code == ErrorCode::Cancelled) co_await answers.error();
    if (!answers && answers.error().code == ErrorCode::Timeout)
        co_await deny("nobody answered in time.", "Call again when somebody is there to answer.");
    if (!answers) co_await deny(answers.error().message, "Call again, or do without it.");
    if (!is_accepted(*answers))
        co_await deny("it was declined.", "Do without it, or say first what it is needed for.");
    if (options_.confirmed) options_.confirmed(asked);
}

}  // namespace tools
