#include "upstream/engine.h"

#include <algorithm>

#include "upstream/command.h"
#include "util/crypto.h"

namespace upstream {
namespace {

using namespace std::chrono_literals;
using session::SessionKey;

// Tool names that browser servers share: one opens a URL, the other closes the browser.
constexpr std::string_view kOpen = "browser_navigate", kLastCall = "browser_close";
constexpr milliseconds kMaxSweep = 30s;
constexpr std::size_t kMaxLosses = 10'000;  // that are remembered
constexpr milliseconds kTimeout = 60s;      // for requests other than tool calls, without a deadline

void report(tools::Client& client, const json::object& params) {
    const json::value* progress = json::find(params, "progress");
    const json::value* total = json::find(params, "total");
    auto number = [](const json::value* value) -> std::optional<double> {
        if (!value || !value->is_number()) return std::nullopt;
        return value->to_number<double>();
    };
    client.report_progress(number(progress).value_or(0), number(total),
                           json::find_string(params, "message").value_or(""));
}

tools::ToolResult result_of(const mcp::RawResult& answer) {
    const json::object* members = answer.value.if_object();
    if (!members) return tools::ToolResult::error("The MCP server's result is not an object.");
    tools::ToolResult result;
    result.is_error = json::find_bool(*members, "isError").value_or(false);
    result.raw_json = answer.text();
    return result;
}

std::string loss_text(const std::string& reason) {
    return "### Session\n- " + reason +
           " The state of this session's browser was lost; this call began with a new one.";
}

// Appends a text to the result; leaves a result that does not follow the protocol unchanged.
void append_text(tools::ToolResult& result, const std::string& text) {
    auto parsed = json::parse(result.raw_json);
    if (!parsed || !parsed->is_object()) return;
    json::object& members = parsed->get_object();
    if (!members["content"].is_array()) return;
    members["content"].get_array().push_back(json::object{{"type", "text"}, {"text", text}});
    result.raw_json = json::serialize(members);
}

Error too_many(std::size_t count) {
    return {.code = ErrorCode::ResourceExhausted,
            .message = std::to_string(count) + " sessions have an MCP server already, and no more may.",
            .hint = "Close sessions that are no longer needed, or raise session.maxSessions."};
}

Error cannot_open(const std::string& url) {
    return {.code = ErrorCode::InvalidArgument,
            .message = "The session was made, but " + url + " was not opened: its server has no tool " +
                       std::string(kOpen) + ".",
            .hint = "Open it with a tool of that server."};
}

Error all_the_same(const std::string& reason) {
    return {.code = ErrorCode::InvalidArgument,
            .message =
                "A session of this server cannot have a viewport or user agent of its own: " + reason + ".",
            .hint = "Leave out width, height and userAgent, or set them in upstream.command."};
}

Error not_of_this_session(const std::string& method) {
    return {.code = ErrorCode::InvalidArgument,
            .message = "This session's engine is native: no other server answers " + method + " for it.",
            .hint = "Ask in a session made by create_session with engine upstream."};
}

std::string seconds_text(milliseconds span) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(span).count()) + " s";
}

// A server without subscriptions refuses, and notifies nobody.
Task<> ask_to_watch(std::shared_ptr<ServerConnection> server, std::string method, std::string uri) {
    (void)co_await as_result(
        server->connection().request(std::move(method), {{"uri", std::move(uri)}}, Deadline::in(kTimeout)));
}

// The text from which a session's port is chosen.
std::string text_of(const SessionKey& key) { return key.name.empty() ? key.owner : key.name; }

}  // namespace

Engine::Engine(Loop& loop, Options options, tools::Registry& registry, SessionOf session_of, Log& log)
    : loop_(loop),
      options_(std::move(options)),
      registry_(registry),
      session_of_(std::move(session_of)),
      log_(log),
      watches_(std::make_shared<ResourceWatches>(
          [this](const SessionKey& key, const std::string& method, const std::string& uri) {
              request_watch(key, method, uri);
          })),
      prompts_and_resources_(
          registry,
          [this](std::string method, json::object params, tools::Client& client) {
              return ask(std::move(method), std::move(params), client);
          },
          [this](const tools::Caller& caller) { return owns(session_of_(caller)); },
          [this](const std::string& uri, const tools::Caller& caller) {
              return watches_->add(session_of_(caller), uri);
          }) {
    if (options_.timing.idle > 0ms) sweeping_ = ::start(close_idle_children());
}

Engine::~Engine() = default;

bool Engine::owns(const SessionKey& key) const {
    if (!options_.native.tools) return true;
    if (!options_.native.is_default) return !options_.native.has_session(key);
    auto found = sessions_.find(key);
    return found != sessions_.end() && found->second.chosen;
}

Task<tools::ToolResult> Engine::forward(std::string tool, tools::Call call) {
    mcp::CallOptions options{
        .deadline = call.deadline,
        .on_progress = [client = &call.client](const json::object& params) { report(*client, params); }};
    auto session_server = ensure_session_server(session_of_(call.client.caller()), call.client.caller());
    if (!session_server) co_return tools::ToolResult::from(session_server.error());
    auto answer = co_await as_result(SessionServer::call(
        *session_server, std::move(tool), call.arguments.as_object(), call.client, std::move(options)));
    if (answer) {
        tools::ToolResult result = result_of(*answer);
        if (std::string loss = (*session_server)->take_loss(); !loss.empty())
            append_text(result, loss_text(loss));
        result.link_base = (*session_server)->workspace();
        co_return result;
    }
    // A refusal of the server is its answer to the caller, not a failure of ours.
    if (mcp::rpc_error_of(answer.error())) co_return tools::ToolResult::error(answer.error().message);
    co_return tools::ToolResult::from(answer.error());
}

Task<mcp::RawResult> Engine::ask(std::string method, json::object params, tools::Client& client) {
    SessionKey key = session_of_(client.caller());
    if (!owns(key)) co_await not_of_this_session(method);
    auto session_server = co_await ensure_session_server(key, client.caller());
    co_return co_await SessionServer::request(session_server, std::move(method), std::move(params), client,
                                              Deadline::in(kTimeout));
}

Result<std::shared_ptr<SessionServer>> Engine::ensure_session_server(const SessionKey& key,
                                                                     const tools::Caller& caller) {
    auto known = sessions_.find(key);
    if (known != sessions_.end() && known->second.session_server) return known->second.session_server;
    if (child_count() >= options_.max_sessions) return too_many(child_count());
    Entry& entry = sessions_[key];
    StartOptions own{
        .session = text_of(key),
        .flags = entry.flags,
        .output = options_.output_of ? options_.output_of(caller, key) : std::filesystem::path()};
    entry.session_server = std::make_shared<SessionServer>(
        loop_, options_.timing.restart,
        [this, key, own = std::move(own)](ServerConnection::Events events) {
            return launch_for(key, own, std::move(events));
        },
        [this](const std::shared_ptr<ServerConnection>& server) { read_tools_again(server); }, log_,
        options_.folder_of);
    if (auto lost = losses_.extract(key); !lost.empty())
        entry.session_server->note_loss(std::move(lost.mapped()));
    return entry.session_server;
}

void Engine::note_loss(const SessionKey& key, std::string reason) {
    if (losses_.size() < kMaxLosses) losses_.insert_or_assign(key, std::move(reason));
}

Result<std::shared_ptr<ServerConnection>> Engine::start_server(const StartOptions& own) {
    std::shared_ptr<ServerProcess> process = shared_.lock();
    if (!process || process->is_over())
        process = TRY(ServerProcess::start(loop_, options_, own, ports_, log_));
    if (options_.shared) shared_ = process;
    return std::make_shared<ServerConnection>(loop_, options_, std::move(process), log_);
}

Task<std::shared_ptr<ServerConnection>> Engine::launch(StartOptions own, ServerConnection::Events events) {
    std::shared_ptr<ServerConnection> server;
    bool fits = own.flags.empty() && own.output.parent_path() == spare_output_.parent_path();
    if (auto spare = fits ? std::exchange(spare_, nullptr) : nullptr) {
        auto greeted = co_await as_result(ServerConnection::greet(spare, events));
        if (greeted)
            server = std::move(spare);
        else
            log_.debug("The spare MCP server was of no use.", {{"reason", greeted.error().message}});
    }
    if (!server) {
        server = co_await start_server(own);
        co_await ServerConnection::greet(server, std::move(events));
    }
    keep_spare();
    check_tools(server);
    co_return server;
}

Task<std::shared_ptr<ServerConnection>> Engine::launch_for(SessionKey key, StartOptions own,
                                                           ServerConnection::Events events) {
    events.on_resource_updated = [this, key](const std::string& uri) {
        registry_.resource_updated(uri,
                                   [&](const tools::Caller& caller) { return session_of_(caller) == key; });
    };
    auto server = co_await launch(std::move(own), std::move(events));
    for (const std::string& uri : watches_->uris(key))
        run_in_background(ask_to_watch(server, "resources/subscribe", uri));
    co_return server;
}

void Engine::request_watch(const SessionKey& key, const std::string& method, const std::string& uri) {
    auto known = sessions_.find(key);
    auto session_server = known == sessions_.end() ? nullptr : known->second.session_server;
    // The next server of the session is asked when it starts.
    if (auto server = session_server ? session_server->running() : nullptr)
        run_in_background(ask_to_watch(std::move(server), method, uri));
}

// Starts only the process: the handshake declares the client's capabilities, and there is no client yet.
void Engine::keep_spare() {
    if (!options_.warm || options_.shared || spare_ || closed_) return;
    if (options_.output_of)
        spare_output_ = options_.output_of({.same_user = true}, {.owner = "spare", .name = random_uuid()});
    auto started = start_server({.session = "spare", .output = spare_output_});
    if (started)
        spare_ = std::move(*started);
    else
        log_.debug("No spare MCP server was started.", {{"reason", started.error().message}});
}

Result<std::vector<std::string>> Engine::flags_for(const session::SessionSetup& setup) const {
    std::vector<std::string> flags;
    if (setup.viewport)
        flags = {"--viewport-size",
                 std::to_string(setup.viewport->width) + "x" + std::to_string(setup.viewport->height)};
    if (!setup.user_agent.empty()) flags.insert(flags.end(), {"--user-agent", setup.user_agent});
    if (!flags.empty() && options_.shared)
        return all_the_same("--shared-browser-context gives all of them one browser");
    if (!flags.empty() && !options_.traits.context_options)
        return all_the_same("the flags that say so are those of Playwright's server");
    return flags;
}

Task<json::object> Engine::create(SessionKey key, session::SessionSetup setup, std::string url,
                                  tools::Call call) {
    std::vector<std::string> flags = co_await flags_for(setup);
    Entry& entry = sessions_[key];
    entry.chosen = true;
    entry.flags = std::move(flags);
    auto read = co_await as_result(read_tools());
    if (!read) {
        sessions_.erase(key);
        co_await std::move(read);
    }
    if (url.empty()) co_return json::object{};
    if (!offers(kOpen)) co_await cannot_open(url);
    auto session_server = co_await ensure_session_server(key, call.client.caller());
    mcp::RawResult opened = co_await SessionServer::call(session_server, std::string(kOpen), {{"url", url}},
                                                         call.client, {.deadline = call.deadline});
    tools::ToolResult result = result_of(opened);
    if (!result.is_error) co_return json::object{{"url", url}};
    const json::array* content = json::find_array(opened.value.as_object(), "content");
    const json::value* first = content && !content->empty() ? json::find(content->at(0), "text") : nullptr;
    co_return Error{
        .code = ErrorCode::NavigationFailed,
        .message = "The session was made, but " + url + " was not opened: " +
                   (first && first->is_string() ? std::string(first->get_string()) : "it failed.")};
}

std::vector<tools::UpstreamSessions::Info> Engine::list(const std::string& owner) const {
    std::vector<Info> infos;
    for (const auto& [key, entry] : sessions_) {
        if (key.owner != owner) continue;
        Info info{.name = key.name, .state = "idle", .created = entry.created, .idle = 0ms};
        if (entry.session_server) {
            info.idle = std::chrono::duration_cast<milliseconds>(SessionServer::Clock::now() -
                                                                 entry.session_server->last_used());
            if (entry.session_server->is_running())
                info.state = "active";
            else if (entry.session_server->closed_for() > 0s)
                info.state = "degraded";
        }
        infos.push_back(std::move(info));
    }
    return infos;
}

std::chrono::seconds Engine::closed_for(const SessionKey& key) const {
    auto found = sessions_.find(key);
    return found != sessions_.end() && found->second.session_server
               ? found->second.session_server->closed_for()
               : 0s;
}

std::size_t Engine::child_count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        sessions_, [](const auto& each) { return each.second.session_server != nullptr; }));
}

std::size_t Engine::degraded_count() const {
    return static_cast<std::size_t>(std::ranges::count_if(sessions_, [](const auto& each) {
        return each.second.session_server && each.second.session_server->closed_for() > 0s;
    }));
}

std::string Engine::last_call() const { return offers(kLastCall) ? std::string(kLastCall) : ""; }

void Engine::end_session_server(const std::shared_ptr<SessionServer>& session_server) {
    if (session_server) run_in_background(SessionServer::close(session_server, last_call()));
}

Engine::Entries::iterator Engine::end(Entries::iterator session) {
    auto ended = session++;
    Entries::node_type entry = sessions_.extract(ended);
    end_session_server(entry.mapped().session_server);
    if (options_.ended) options_.ended(entry.key());
    return session;
}

bool Engine::close(const SessionKey& key) {
    losses_.erase(key);
    auto found = sessions_.find(key);
    if (found == sessions_.end()) return false;
    end(found);
    return true;
}

void Engine::close_owner(const std::string& owner) {
    for (auto it = sessions_.begin(); it != sessions_.end();) it = it->first.owner == owner ? end(it) : ++it;
    std::erase_if(losses_, [&](const auto& lost) { return lost.first.owner == owner; });
}

void Engine::run_in_background(Task<> task) {
    background_.add(std::move(task), [this](Result<void> outcome) {
        if (!outcome) log_.debug("Work for an MCP server failed.", {{"reason", outcome.error().message}});
    });
}

Task<> Engine::close() {
    closed_ = true;
    sweeping_.cancel();
    for (auto it = sessions_.begin(); it != sessions_.end();) it = end(it);
    if (auto spare = std::exchange(spare_, nullptr))
        run_in_background(ServerConnection::stop(std::move(spare), ""));
    co_await background_.join(loop_);
}

Task<> Engine::close_idle_children() {
    milliseconds pause = std::min(std::max(options_.timing.idle / 4, 1ms), kMaxSweep);
    for (;;) {
        co_await sleep_for(loop_, pause);
        auto limit = SessionServer::Clock::now() - options_.timing.idle;
        for (auto it = sessions_.begin(); it != sessions_.end();) {
            std::shared_ptr<SessionServer> session_server = it->second.session_server;
            if (!session_server || !session_server->is_idle_since(limit)) {
                ++it;
                continue;
            }
            log_.debug("An unused MCP server is closed.", {{"session", it->first.name}});
            note_loss(it->first, "Its MCP server was closed after " + seconds_text(options_.timing.idle) +
                                     " without a call.");
            if (it->second.chosen) {
                (it++)->second.session_server.reset();
                end_session_server(session_server);
            } else {
                it = end(it);
            }
        }
    }
}

}  // namespace upstream
