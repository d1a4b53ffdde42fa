#include "upstream/active_calls.h"

#include <array>

#include "mcp/request_context.h"
#include "session/workspace.h"

namespace upstream {
namespace {

struct Capability {
    std::string_view name;
    std::string_view method;
};
constexpr std::array<Capability, 3> kCapabilities{
    {{"roots", "roots/list"}, {"elicitation", "elicitation/create"}, {"sampling", "sampling/createMessage"}}};

Error nobody_to_ask(const std::string& method) {
    return {.code = ErrorCode::NotFound,
            .message = "No client can answer " + method + ": no call is under way.",
            .hint = "Ask while a tool is called."};
}

Task<json::value> put(tools::Client& client, tools::InputRequest request) {
    std::string key = request.key;
    std::vector<tools::InputRequest> requests;
    requests.push_back(std::move(request));
    auto answers = co_await client.ask(std::move(requests));
    co_return std::move(answers[key]);
}

std::filesystem::path first_root(const json::value& answer) {
    const json::value* roots = json::find(answer, "roots");
    if (!roots || !roots->is_array() || roots->get_array().empty()) return {};
    const json::value* uri = json::find(roots->get_array()[0], "uri");
    return uri && uri->is_string() ? session::path_from_uri(uri->get_string()).value_or("")
                                   : std::filesystem::path();
}

}  // namespace

// Lives in the frame of a question.
class ActiveCalls::Asked {
public:
    Asked(std::shared_ptr<ActiveCalls> active_calls, std::uint64_t number)
        : active_calls_(std::move(active_calls)), number_(number) {}
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;
    ~Asked() { active_calls_->questions_.erase(number_); }

private:
    std::shared_ptr<ActiveCalls> active_calls_;
    std::uint64_t number_;
};

ActiveCalls::Waiting::Waiting(std::shared_ptr<ActiveCalls> active_calls, tools::Client& client)
    : active_calls_(std::move(active_calls)),
      place_(active_calls_->clients_.insert(active_calls_->clients_.end(), &client)) {}

ActiveCalls::Waiting::~Waiting() {
    tools::Client* client = *place_;
    active_calls_->clients_.erase(place_);
    active_calls_->forget(client);
}

void ActiveCalls::forget(tools::Client* client) {
    for (auto it = questions_.begin(); it != questions_.end();) {
        auto question = it++;
        if (question->second.client != client) continue;
        question->second.answer.set(
            Error{.code = ErrorCode::Cancelled, .message = "The call ended before its client answered."});
        questions_.erase(question);
    }
}

std::string_view ActiveCalls::method_of(std::string_view capability) {
    for (const Capability& each : kCapabilities)
        if (each.name == capability) return each.method;
    return {};
}

std::filesystem::path ActiveCalls::folder_of_latest() const {
    return empty() || !folder_of_ ? std::filesystem::path() : folder_of_(clients_.back()->caller());
}

json::object ActiveCalls::capabilities() const {
    json::object declared;
    // We answer these ourselves.
    if (!folder_of_latest().empty()) declared["roots"] = json::object{};
    if (clients_.empty() || clients_.back()->caller().connection.empty()) return declared;
    for (const Capability& each : kCapabilities)
        if (clients_.back()->answers(each.method)) declared[each.name] = json::object{};
    return declared;
}

Task<json::value> ActiveCalls::ask(std::shared_ptr<ActiveCalls> self, std::string method,
                                   json::object params) {
    if (self->clients_.empty()) co_return nobody_to_ask(method);
    if (std::filesystem::path folder = self->folder_of_latest(); method == "roots/list" && !folder.empty()) {
        self->workspace_ = folder;
        json::object root{{"uri", session::uri_of_path(folder)}, {"name", "workspace"}};
        co_return json::object{{"roots", json::array{std::move(root)}}};
    }
    tools::Client* client = self->clients_.back();
    std::uint64_t number = ++self->last_question_;
    Completion<Result<json::value>> answer(self->loop_);
    tools::InputRequest request{.key = method, .method = method, .params = std::move(params)};
    Running asking = ::start(put(*client, std::move(request)),
                             [answer](Result<json::value> given) { answer.set(std::move(given)); });
    if (!asking.done()) self->questions_.emplace(number, Question{client, std::move(asking), answer});
    Asked asked(self, number);
    Result<json::value> given = co_await answer;
    if (given && method == "roots/list") self->workspace_ = first_root(*given);
    co_return given;
}

bool ActiveCalls::notify(const json::object& message) {
    const json::value* data = json::find(message, "data");
    auto level = mcp::parse_message_level(json::find_string(message, "level").value_or(""));
    if (clients_.empty() || !data || !level) return false;
    clients_.back()->log(*level, json::find_string(message, "logger").value_or(""), *data);
    return true;
}

}  // namespace upstream
