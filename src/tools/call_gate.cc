#include "tools/call_gate.h"

#include <algorithm>
#include <array>

#include "policy/origin.h"
#include "tools/confirmation.h"
#include "tools/opening_calls.h"
#include "tools/record_identity.h"
#include "tools/same_work.h"
#include "tools/session_param.h"
#include "util/strings.h"

namespace tools {
namespace {

constexpr std::string_view kConfirmation = "confirmation", kConfirmRule = "security.confirm";
constexpr std::string_view kHostCodeRule =
    "the rule that no principal's code runs on the host of several principals";
// The code of these tools runs with the rights of this server, beyond every boundary between principals.
constexpr std::array<std::string_view, 3> kHostCode = {"browser_run_code_unsafe", "browser_run_code",
                                                       kInitPage};

bool runs_on_host(std::string_view tool) { return std::ranges::find(kHostCode, tool) != kHostCode.end(); }

// `called` is the tool of the call, which may do the work of the denied one.
Error refused(const policy::Denial& denial, const std::string& called) {
    std::string hint = "The operator of this server decides which tools may be called.";
    if (denial.rule == kHostCodeRule)
        hint =
            "The operator of this server can allow it by a rule that names both, as in security.rules: "
            "[{\"principal\": \"" +
            denial.who.principal + "\", \"tools\": [\"" + denial.what + "\", …]}].";
    else if (denial.what != called)
        hint = "This call of " + called + " would do the same. " + hint;
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

policy::Subject subject_of(const Caller& caller, std::string session) {
    return {.session = std::move(session), .principal = caller.principal, .scopes = caller.scopes};
}

// The session whose record the call reads, if it names one: a name, or a session's id in the record.
std::string session_to_read(std::string_view tool, const json::value& arguments) {
    if (tool != "history_list" || !arguments.is_object()) return "";
    return shown_session(json::find_string(arguments.get_object(), "session").value_or(""));
}

bool is_accepted(const std::map<std::string, json::value>& answers) {
    auto answer = answers.find(std::string(kConfirmation));
    const json::object* members = answer == answers.end() ? nullptr : answer->second.if_object();
    return members && json::find_string(*members, "action") == "accept";
}

}  // namespace

const std::vector<CallGate::Alternative> CallGate::kNavigation = {{"browser_navigate", ""},
                                                                  {"navigate", "toolkit"}};
const std::vector<CallGate::Alternative> CallGate::kScripts = {{std::string(kEvaluate), ""},
                                                               {"evaluate", "toolkit"}};

std::optional<std::string> CallGate::denial_of(const std::string& tool, const policy::Subject& who) const {
    auto rule = options_.refuse ? options_.refuse(tool) : std::nullopt;
    return rule && *rule != kAllowedToolsRule ? rule : rules_.denied(who, tool);
}

std::optional<CallGate::Broken> CallGate::denial_of_any(const std::vector<std::string>& tools,
                                                        const policy::Subject& who) const {
    for (const std::string& tool : tools) {
        if (auto rule = denial_of(tool, who)) return Broken{*rule, tool};
    }
    return std::nullopt;
}

std::optional<CallGate::Broken> CallGate::broken_rule(const Tool& tool, const policy::Subject& who) const {
    if (options_.several_principals && !who.principal.empty() && runs_on_host(tool.name) &&
        !rules_.name(who, tool.name))
        return Broken{std::string(kHostCodeRule), tool.name};
    // The operator has configured init_page, so rules about calls do not apply to it.
    if (tool.name == kInitPage) return std::nullopt;
    auto rule = options_.refuse ? options_.refuse(tool.name) : std::nullopt;
    if (!rule) rule = rules_.broken(who, tool.name, tool.capability);
    if (rule) return Broken{*rule, tool.name};
    return has_rules() ? denial_of_any(also_judged_as(tool.name), who) : std::nullopt;
}

std::optional<CallGate::Broken> CallGate::broken_by_work(const std::vector<Alternative>& tools,
                                                         const policy::Subject& who) const {
    for (const Alternative& each : tools) {
        if (auto rule = denial_of(each.tool, who)) return Broken{*rule, each.tool};
    }
    auto broken_for_all = [&](auto rule_for) -> std::optional<Broken> {
        for (const Alternative& each : tools) {
            if (!rule_for(each)) return std::nullopt;
        }
        return Broken{*rule_for(tools.front()), tools.front().tool};
    };
    auto refused = broken_for_all(
        [&](const Alternative& each) { return options_.refuse ? options_.refuse(each.tool) : std::nullopt; });
    return refused ? refused : broken_for_all([&](const Alternative& each) {
        return rules_.broken(who, each.tool, each.capability);
    });
}

std::optional<CallGate::Broken> CallGate::broken_by_call(const Tool& tool, const json::value& arguments,
                                                         const policy::Subject& who) const {
    if (auto broken = broken_rule(tool, who)) return broken;
    if (!has_rules()) return std::nullopt;
    if (auto broken = denial_of_any(also_judged_as(tool.name, arguments), who)) return broken;
    const json::value* address = address_to_open(tool.name, arguments);
    if (!address) return std::nullopt;
    if (auto broken = broken_by_work(kNavigation, who)) return broken;
    bool scripted = address->is_string() && policy::brings_script(address->get_string());
    return scripted ? broken_by_work(kScripts, who) : std::nullopt;
}

bool CallGate::has_to_be_confirmed(const Tool& tool, const json::value& arguments) const {
    if (options_.confirm.empty()) return false;
    auto is_named = [&](const std::string& name) {
        return std::ranges::any_of(options_.confirm,
                                   [&](const std::string& pattern) { return matches_glob(name, pattern); });
    };
    auto any_is_named = [&](const std::vector<Alternative>& tools) {
        return std::ranges::any_of(tools, is_named, &Alternative::tool);
    };
    const json::value* address = address_to_open(tool.name, arguments);
    bool scripted = address && address->is_string() && policy::brings_script(address->get_string());
    return is_named(tool.name) || std::ranges::any_of(also_judged_as(tool.name), is_named) ||
           std::ranges::any_of(also_judged_as(tool.name, arguments), is_named) ||
           (address && any_is_named(kNavigation)) || (scripted && any_is_named(kScripts));
}

bool CallGate::lists(const Tool& tool, const Caller& caller) const {
    return !broken_rule(tool, subject_of(caller, caller.path_name));
}

Result<void> CallGate::permit(const Tool& tool, const Caller& caller) const {
    const std::string& session = caller.session_name.empty() ? caller.path_name : caller.session_name;
    policy::Denial denial{.what = "", .rule = "", .who = subject_of(caller, session)};
    auto broken = broken_rule(tool, denial.who);
    if (!broken) return ok();
    denial.rule = broken->rule;
    denial.what = "tool " + broken->tool;
    if (options_.denied) options_.denied(denial);
    denial.what = broken->tool;
    return refused(denial, tool.name);
}

Task<> CallGate::admit(const Tool& tool, Call call) {
    const Caller& caller = call.client.caller();
    policy::Denial denial{.what = "tool " + tool.name,
                          .rule = "",
                          .who = subject_of(caller, session_named(tool, caller, call.arguments))};
    auto deny = [&](std::string rule) {
        denial.rule = std::move(rule);
        if (options_.denied) options_.denied(denial);
    };
    auto broken = broken_by_call(tool, call.arguments, denial.who);
    if (std::string read = session_to_read(tool.name, call.arguments);
        !broken && !read.empty() && read != denial.who.session) {
        policy::Subject who = subject_of(caller, std::move(read));
        broken = broken_rule(tool, who);
        if (broken) denial.who = std::move(who);
    }
    if (broken) {
        denial.what = "tool " + broken->tool;
        deny(broken->rule);
        denial.what = broken->tool;
        co_await refused(denial, tool.name);
    }
    if (auto wait = rules_.take(denial.who, policy::CallRules::Clock::now())) {
        deny(wait->rule);
        co_await too_often(*wait);
    }
    if (!has_to_be_confirmed(tool, call.arguments)) co_return;
    denial.rule = kConfirmRule;
    co_await confirm(tool, call, std::move(denial));
}

Task<> CallGate::confirm(const Tool& tool, Call call, policy::Denial asked) {
    auto deny = [&](std::string_view why, std::string_view hint) {
        if (options_.denied) options_.denied(asked);
        return not_confirmed(tool.name, why, hint);
    };
    InputRequest request = question(tool, options_.secrets.redact_all(call.arguments), asked.who);
    if (!call.client.answers(request.method)) {
        // The stateless protocol has its own error for this case.
        (void)co_await as_result(call.client.ask({std::move(request)}));
        co_await deny("the client cannot ask one, for it did not declare the capability elicitation.",
                      "Use a client that can: elicitation {\"form\": {}}, which {\"url\": {}} does not "
                      "include. Or ask the "
                      "operator of this server to take the tool off the list.");
    }
    Deadline deadline = call.deadline.earlier(Deadline::in(options_.confirm_timeout));
    auto answers = co_await as_result(
        with_deadline(loop_, call.client.ask({std::move(request)}), deadline, "The confirmation"));
    // The stateless protocol cannot ask within a call: the call ends here, and the client repeats it with the
    // answer.
    if (!answers && answers.error().code == ErrorCode::Cancelled) co_await answers.error();
    if (!answers && answers.error().code == ErrorCode::Timeout)
        co_await deny("no answer came in time.", "Call again when a person is there to answer.");
    if (!answers) co_await deny(answers.error().message, "Call again, or do without it.");
    if (!is_accepted(*answers))
        co_await deny("it was declined.", "Do without it, or say first what it is needed for.");
    if (options_.confirmed) options_.confirmed(asked);
}

}  // namespace tools
