#include "mcp/client.h"

#include "mcp/client_state.h"
#include "mcp/version.h"
#include "util/strings.h"

namespace mcp {
namespace {

constexpr int kMaxPages = 200;

Error no_answer(std::string_view method, std::string_view lacks) {
    return {.message =
                "The MCP server's answer to " + std::string(method) + " has no " + std::string(lacks) + "."};
}

std::string supported_versions() {
    return join(std::vector<std::string>(kLegacyVersions.begin(), kLegacyVersions.end()), ", ");
}

Result<ServerDescription> describe(const json::value& answer) {
    const auto* members = answer.if_object();
    auto version = members ? json::find_string(*members, "protocolVersion") : std::nullopt;
    if (!version) return no_answer("initialize", "protocolVersion");
    if (!is_legacy_version(*version))
        return Error{.message = "The MCP server speaks protocol version " + std::string(*version) +
                                ", which is not supported here.",
                     .hint = "Supported versions: " + supported_versions() + "."};
    ServerDescription description{.protocol_version = std::string(*version)};
    if (const auto* given = json::find_object(*members, "capabilities")) description.capabilities = *given;
    if (const auto* given = json::find_object(*members, "serverInfo")) description.server_info = *given;
    description.instructions = json::find_string(*members, "instructions").value_or("");
    return description;
}

}  // namespace

std::optional<RpcError> rpc_error_of(const Error& error) {
    if (!error.details.starts_with('{')) return std::nullopt;
    auto parsed = json::parse(error.details);
    const auto* members = parsed ? parsed->if_object() : nullptr;
    auto code = members ? json::find_integer(*members, "code") : std::nullopt;
    if (!code) return std::nullopt;
    RpcError answered{.code = static_cast<int>(*code), .message = error.message};
    if (const json::value* data = json::find(*members, "data")) answered.data = *data;
    return answered;
}

ClientConnection::ClientConnection(Loop& loop, ClientTransport& transport, Log& log)
    : state_(std::make_shared<State>(loop, transport, log)) {
    state_->start();
}

ClientConnection::~ClientConnection() { close(); }

void ClientConnection::close() {
    if (!state_->transport) return;
    state_->transport->close();
    state_->finish(
        Error{.code = ErrorCode::Cancelled, .message = "The connection to the MCP server was closed."});
}

bool ClientConnection::is_closed() const { return !state_->transport; }
std::size_t ClientConnection::malformed_count() const { return state_->malformed; }

void ClientConnection::on_notification(std::string method, NotificationHandler handler) {
    state_->notification_handlers.insert_or_assign(std::move(method), std::move(handler));
}

void ClientConnection::on_request(std::string method, RequestHandler handler) {
    state_->request_handlers.insert_or_assign(std::move(method), std::move(handler));
}

void ClientConnection::on_close(std::function<void(const Error&)> handler) {
    state_->close_handler = std::move(handler);
}

void ClientConnection::notify(std::string_view method, json::object params) {
    state_->notify(method, std::move(params));
}

Task<RawResult> ClientConnection::request(std::string method, json::object params, Deadline deadline) {
    std::string what = "The MCP server's answer to " + method;
    return with_deadline(state_->loop, State::exchange(state_, std::move(method), std::move(params)),
                         deadline, std::move(what));
}

Task<RawResult> ClientConnection::call_tool(std::string name, json::object arguments, CallOptions options) {
    std::string what = "The MCP server's answer to the call of " + name;
    json::object params{{"name", name}, {"arguments", std::move(arguments)}};
    if (!options.meta.empty()) params["_meta"] = std::move(options.meta);
    return with_deadline(
        state_->loop,
        State::exchange(state_, "tools/call", std::move(params), std::move(options.on_progress)),
        options.deadline, std::move(what));
}

Task<> ClientConnection::ping(Deadline deadline) { co_await request("ping", {}, deadline); }

Task<ServerDescription> ClientConnection::initialize(ClientInfo info, json::object capabilities,
                                                     Deadline deadline) {
    auto state = state_;
    json::object client{{"name", info.name}, {"version", info.version}};
    if (!info.title.empty()) client["title"] = info.title;
    json::object params{{"protocolVersion", kNewestLegacyVersion},
                        {"capabilities", std::move(capabilities)},
                        {"clientInfo", std::move(client)}};
    RawResult answer = co_await request("initialize", std::move(params), deadline);
    ServerDescription description = co_await describe(answer.value);
    if (state->transport) state->transport->set_protocol_version(description.protocol_version);
    state->notify("notifications/initialized", {});
    co_return description;
}

Task<std::vector<json::object>> ClientConnection::list(std::string method, std::string key,
                                                       Deadline deadline) {
    auto state = state_;
    std::vector<json::object> all;
    json::object params;
    for (int page = 0; page < kMaxPages; ++page) {
        RawResult answer = co_await with_deadline(state->loop, State::exchange(state, method, params),
                                                  deadline, "The MCP server's answer to " + method);
        auto* members = answer.value.if_object();
        json::value* listed = members ? members->if_contains(key) : nullptr;
        if (!listed || !listed->is_array()) co_return no_answer(method, "array of " + key);
        for (json::value& each : listed->get_array())
            if (each.is_object()) all.push_back(std::move(each.get_object()));
        auto cursor = json::find_string(*members, "nextCursor");
        if (!cursor) co_return all;
        params["cursor"] = *cursor;
    }
    co_return Error{
        .code = ErrorCode::ResourceExhausted,
        .message = "The MCP server lists more than " + std::to_string(kMaxPages) + " pages of " + key + "."};
}

}  // namespace mcp
