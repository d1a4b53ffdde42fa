#include "mcp/request_context.h"

#include <array>

#include "mcp/render.h"

namespace mcp {
namespace {

constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

constexpr std::string_view kElicitation = "elicitation", kFormMode = "form";

std::string_view capability_for(std::string_view method) {
    if (method == "elicitation/create") return kElicitation;
    if (method == "sampling/createMessage") return "sampling";
    if (method == "roots/list") return "roots";
    return {};
}

// The mode of a question to the user, "form" or "url"; other requests have only one.
std::string_view mode_of(const tools::InputRequest& request) {
    if (request.method != "elicitation/create") return kFormMode;
    return json::find_string(request.params, "mode").value_or(kFormMode);
}

// {"sampling":{}}, {"elicitation":{"form":{}}}
json::object capability_of(const tools::InputRequest& request) {
    std::string_view capability = capability_for(request.method);
    json::object modes;
    if (capability == kElicitation) modes[mode_of(request)] = json::object{};
    return {{capability, std::move(modes)}};
}

// Whether an answer has the shape its request asks for; any other answer counts as missing.
bool has_shape(const json::value& answer, std::string_view method) {
    const auto* members = answer.if_object();
    if (!members) return false;
    if (method == "elicitation/create") {
        auto action = json::find_string(*members, "action");
        return action == "accept" || action == "decline" || action == "cancel";
    }
    if (method == "sampling/createMessage") return members->contains("content");
    if (method == "roots/list") return json::find_array(*members, "roots") != nullptr;
    return true;
}

}  // namespace

std::optional<tools::MessageLevel> parse_message_level(std::string_view name) {
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
        if (kLevels[i] == name) return static_cast<tools::MessageLevel>(i);
    }
    return std::nullopt;
}

RequestContext::RequestContext(Request request, std::shared_ptr<const ClientState> client,
                               std::shared_ptr<ResponseSink> sink, AskClient ask)
    : request_(std::move(request)), client_(std::move(client)), sink_(std::move(sink)), ask_(std::move(ask)) {
    if (const json::object* meta = json::find_object(request_.params, "_meta")) {
        if (const json::value* token = json::find(*meta, "progressToken"))
            progress_token_ = parse_request_id(*token);
    }
}

bool RequestContext::answers(std::string_view method) const {
    std::string_view capability = capability_for(method);
    const json::object* declared =
        capability.empty() ? nullptr : json::find_object(client_->capabilities, capability);
    // Clients older than elicitation modes declare none, and support forms.
    return declared && (capability != kElicitation || declared->empty() || declared->contains(kFormMode));
}

bool RequestContext::answers(const tools::InputRequest& request) const {
    if (mode_of(request) == kFormMode) return answers(request.method);
    const json::object* declared = json::find_object(client_->capabilities, kElicitation);
    return declared && declared->contains(mode_of(request));
}

std::string RequestContext::redacted(std::string_view text) const {
    return middleware_ ? middleware_->redacted(std::string(text)) : std::string(text);
}

json::value RequestContext::redacted(json::value value, Numbers numbers) const {
    if (!middleware_) return value;
    if (auto* text = value.if_string()) {
        *text = redacted(std::string_view(*text));
    } else if (auto* items = value.if_array()) {
        for (json::value& each : *items) each = redacted(std::move(each), numbers);
    } else if (auto* members = value.if_object()) {
        for (auto& member : *members) member.value() = redacted(std::move(member.value()), numbers);
    } else if (value.is_number() && numbers == Numbers::Redact) {
        std::string number = json::serialize(value), shown = redacted(number);
        if (shown != number) value = shown;
    }
    return value;
}

void RequestContext::report_progress(double progress, std::optional<double> total, std::string_view message) {
    if (!progress_token_ || (last_progress_ && progress <= *last_progress_)) return;
    last_progress_ = progress;
    ObjectWriter params;
    params.raw("progressToken", to_json(*progress_token_))
        .raw("progress", json::serialize(json::value(progress)));
    if (total) params.raw("total", json::serialize(json::value(*total)));
    params.optional_string("message", redacted(message));
    sink_->notify(make_notification("notifications/progress", params.finish()));
}

void RequestContext::log(tools::MessageLevel level, std::string_view logger, json::value data) {
    if (!client_->log_level || level < *client_->log_level) return;
    ObjectWriter params;
    params.string("level", kLevels[static_cast<std::size_t>(level)])
        .optional_string("logger", redacted(logger));
    params.raw("data", json::serialize(redacted(std::move(data), Numbers::Redact)));
    sink_->notify(make_notification("notifications/message", params.finish()));
}

void RequestContext::set_answers(json::object sealed, const json::object* brought,
                                 std::function<bool()> claim) {
    answers_ = std::move(sealed);
    brought_ = brought;
    claim_ = std::move(claim);
}

Task<std::map<std::string, json::value>> RequestContext::ask(std::vector<tools::InputRequest> requests) {
    for (tools::InputRequest& request : requests)
        request.params = redacted(json::value(std::move(request.params)), Numbers::Keep).as_object();
    for (const tools::InputRequest& request : requests) {
        if (answers(request)) continue;
        missing_capability_ = capability_of(request);
        std::string_view capability = capability_for(request.method);
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "This call needs the client capability \"" + std::string(capability) +
                                  "\", which the client did not declare.",
                       .hint = "Use a client that supports it."};
    }
    std::map<std::string, json::value> given;
    if (era() == Era::Legacy) {
        for (tools::InputRequest& request : requests) {
            given[request.key] = co_await ask_(request.method, std::move(request.params), *sink_);
        }
        co_return given;
    }
    Pending pending;
    for (tools::InputRequest& request : requests) {
        const json::value* answer = json::find(answers_, request.key);
        if (!answer && brought_) answer = json::find(*brought_, request.key);
        bool usable = answer && has_shape(*answer, request.method);
        if (usable && (!request.once || (claim_ && claim_()))) {
            given[request.key] = *answer;
        } else {
            pending.missing.push_back(std::move(request));
        }
    }
    for (const auto& [key, answer] : given) answers_[key] = answer;
    if (!pending.missing.empty()) {
        pending.answers = answers_;
        pending_ = std::move(pending);
        co_await Error{.code = ErrorCode::Cancelled, .message = "Waiting for the client's answers."};
    }
    co_return given;
}

}  // namespace mcp
