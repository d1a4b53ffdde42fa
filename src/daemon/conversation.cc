#include "daemon/conversation.h"

#include <algorithm>

#include "util/json.h"

namespace daemons {
namespace {

constexpr std::string_view kOurIds = "\"troupe-shim-";
constexpr int kServerError = -32000;

std::string method_of(const Scanned& message) {
    if (message.method.find('\\') == std::string_view::npos) return std::string(message.method);
    auto parsed = json::parse("\"" + std::string(message.method) + "\"");
    return parsed && parsed->is_string() ? std::string(parsed->get_string()) : std::string(message.method);
}

json::object members_of(std::string_view params) {
    auto parsed = json::parse(params);
    return parsed && parsed->is_object() ? parsed->get_object() : json::object();
}

std::string error_line(std::string_view id, std::string_view message) {
    std::string line = "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) +
                       ",\"error\":{\"code\":" + std::to_string(kServerError) + ",\"message\":";
    json::append_string(line, message);
    return line + "}}\n";
}

template <class Calls>
bool erase_first(Calls& calls, const std::string& id) {
    auto it = std::ranges::find_if(calls, [&](const auto& call) { return call.id == id; });
    if (it == calls.end()) return false;
    calls.erase(it);
    return true;
}

}  // namespace

void Conversation::sent(std::string_view line) {
    scan(line, Extent::Whole, [&](const Scanned& message) {
        if (message.is_request())
            note_request(message, line);
        else if (message.is_response())
            erase_first(questions_, canonical_id(message.id));
        else
            note_notification(message);
    });
}

void Conversation::note_request(const Scanned& message, std::string_view line) {
    std::string id = canonical_id(message.id), method = method_of(message);
    erase_first(given_up_, id);
    calls_.push_back({id, std::string(message.id)});
    if (method == "initialize") {
        initialize_ = line;
        initialize_id_ = id;
        initialize_params_ = message.params;
        initialize_pending_ = true;
        initialize_repeated_ = initialized_ = false;
    } else if (method == "tools/call") {
        called_ = true;
    } else if (method == "logging/setLevel") {
        level_params_ = message.params;
    } else if (method == "resources/subscribe" || method == "resources/unsubscribe") {
        std::string uri(json::find_string(members_of(message.params), "uri").value_or(""));
        subscriptions_.erase(uri);
        if (method == "resources/subscribe") subscriptions_.emplace(uri, message.params);
    }
}

void Conversation::note_notification(const Scanned& message) {
    std::string method = method_of(message);
    if (method == "notifications/initialized") {
        initialized_ = true;
    } else if (method == "notifications/cancelled") {
        // A cancelled call is never answered.
        json::object params = members_of(message.params);
        if (const json::value* id = json::find(params, "requestId"))
            erase_first(calls_, canonical_id(json::serialize(*id)));
    }
}

bool Conversation::received(std::string_view line) {
    bool ours = false;
    scan(line, Extent::UpToResult, [&](const Scanned& message) {
        if (message.is_request()) {
            questions_.push_back({canonical_id(message.id), std::string(message.id)});
        } else if (message.is_response()) {
            if (message.id == ping_id_) ping_id_.clear();
            std::string id = canonical_id(message.id);
            if (message.id.starts_with(kOurIds) || erase_first(given_up_, id)) {
                ours = true;
                return;
            }
            if (id == initialize_id_) initialize_pending_ = false;
            erase_first(calls_, id);
        }
    });
    return !ours;
}

bool Conversation::take_back(std::string_view line) {
    bool any = false;
    scan(line, Extent::Whole, [&](const Scanned& message) {
        if (message.is_request() && erase_first(calls_, canonical_id(message.id))) any = true;
    });
    return any;
}

std::string Conversation::ping() {
    std::string line = request("ping", "");
    ping_id_ = std::string(kOurIds) + std::to_string(replayed_) + "\"";
    return line;
}

Conversation::GivenUp Conversation::give_up(std::string_view why) {
    GivenUp lines;
    for (const Call& call : calls_) {
        lines.to_daemon +=
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" +
            call.text + ",\"reason\":\"The daemon did not answer.\"}}\n";
        given_up_.push_back(call);
    }
    lines.to_client = fail(why);
    return lines;
}

std::string Conversation::lose() {
    given_up_.clear();
    ping_id_.clear();
    std::string lines;
    for (const Call& question : std::exchange(questions_, {})) {
        lines += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" +
                 question.text + ",\"reason\":\"The server that asked has ended.\"}}\n";
    }
    // Only once: a daemon that crashes on initialize would be restarted forever.
    bool repeat = initialize_pending_ && !std::exchange(initialize_repeated_, true);
    std::vector<Call> kept;
    std::erase_if(calls_, [&](const Call& call) {
        bool keep = repeat && call.id == initialize_id_;
        if (keep) kept.push_back(call);
        return keep;
    });
    lines += fail(
        "The daemon that ran this call has ended, and its browser with it. The call may or may not have had "
        "an "
        "effect. The next call gets a new daemon and a fresh browser.");
    calls_ = std::move(kept);
    initialize_pending_ = repeat;
    return lines;
}

std::string Conversation::fail(std::string_view why) {
    std::string lines;
    for (const Call& call : std::exchange(calls_, {})) lines += error_line(call.text, why);
    initialize_pending_ = false;
    return lines;
}

std::string Conversation::request(std::string_view method, std::string_view params) {
    std::string line = "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(kOurIds) + std::to_string(++replayed_) +
                       "\",\"method\":\"" + std::string(method) + "\"";
    if (!params.empty()) line.append(",\"params\":").append(params);
    return line + "}\n";
}

std::string Conversation::replay() {
    std::string lines;
    if (initialize_pending_)
        lines += initialize_ + "\n";
    else if (!initialize_.empty())
        lines += request("initialize", initialize_params_);
    if (initialized_) lines += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    if (!level_params_.empty()) lines += request("logging/setLevel", level_params_);
    for (const auto& [uri, params] : subscriptions_) lines += request("resources/subscribe", params);
    return lines;
}

bool has_request(std::string_view line) {
    bool any = false;
    scan(line, Extent::Whole, [&](const Scanned& message) { any = any || message.is_request(); });
    return any;
}

}  // namespace daemons
