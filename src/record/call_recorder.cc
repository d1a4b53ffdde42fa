#include "record/call_recorder.h"

#include "record/answer_text.h"
#include "record/console_text.h"
#include "record/mark_untrusted.h"
#include "record/request_status.h"
#include "store/time_text.h"
#include "tools/redact_result.h"
#include "tools/result_limit.h"
#include "tools/session_param.h"
#include "tools/typed_arguments.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/off_loop.h"

namespace record {
namespace {

constexpr std::string_view kResponse = session::kResponseArgument, kHistory = "history",
                           kConsoleTool = "browser_console_messages",
                           kStateTool = "browser_storage_state";  // its file is for a program
constexpr std::size_t kMaxSessions = 100'000;

store::Time now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

bool shows_pages(const tools::Tool& tool) { return tool.acts_in_session || !tool.raw_json.empty(); }

store::Level level_of(tools::NotedMessage::Level level) {
    using Level = tools::NotedMessage::Level;
    switch (level) {
        case Level::Debug:
            return store::Level::Debug;
        case Level::Info:
            return store::Level::Info;
        case Level::Warning:
            return store::Level::Warn;
        case Level::Error:
            return store::Level::Error;
    }
    return store::Level::Info;
}

std::vector<store::ConsoleMessage> to_messages(const tools::PageNote& page) {
    std::vector<store::ConsoleMessage> messages;
    messages.reserve(page.console.size());
    for (const tools::NotedMessage& each : page.console) {
        messages.push_back({.level = level_of(each.level),
                            .message = each.text,
                            .url = each.url,
                            .line = each.line,
                            .column = each.column,
                            .timestamp = std::chrono::floor<std::chrono::milliseconds>(each.time)});
    }
    return messages;
}

std::string to_network(const tools::PageNote& page) {
    if (page.requests.empty()) return "";
    json::array requests;
    for (const tools::NotedRequest& each : page.requests) {
        json::object request{{"method", each.method},      {"url", each.url},
                             {"type", each.resource_type}, {"status", each.status},
                             {"mimeType", each.mime_type}, {"milliseconds", each.duration.count()}};
        // The usual status text is not stored, to save space.
        if (each.status_text != kUsualStatus) request["statusText"] = each.status_text;
        if (!each.failure.empty()) request["failure"] = each.failure;
        requests.push_back(std::move(request));
    }
    return json::serialize(requests);
}

}  // namespace

bool reads_record(const tools::Tool& tool) {
    return tool.capability == kHistory && tool.effect == tools::Effect::ReadsServer;
}

// A call between its request and its answer.
class CallRecorder::Call final : public mcp::RecordedCall {
public:
    Call(CallRecorder& recorder, const mcp::CallInfo& call)
        : recorder_(recorder), tool_(call.tool), arguments_(&call.arguments) {
        const json::value* wanted = json::find(call.arguments, kResponse);
        session_ = recorder.identify(call);
        wanted_ = recorder.wanted(session_.session_id, wanted);
        asks_for_page_ = !wanted && tool_->name == "browser_snapshot";
        if (wanted) {
            is_known_form_ = wanted->is_string() && mode_of(wanted->get_string());
            own_arguments_ = call.arguments;
            own_arguments_.as_object().erase(kResponse);
            arguments_ = &own_arguments_;
        }
        reads_record_ = reads_record(*tool_);
        if (!recorder.options_.store || reads_record_) return;
        reference_.ref_id = random_uuid();
        caller_ = call.caller;
        request_id_ = call.request_id;
    }
    Call(const Call&) = delete;
    ~Call() override { give_up("The call was cancelled."); }

    void start(bool admitted) override {
        if (std::exchange(started_, true) || reference_.ref_id.empty()) return;
        if (!admitted && !recorder_.has_recorded(session_.session_id)) {
            reference_.ref_id.clear();
            return;
        }
        recorder_.session_began(session_, caller_);
        json::value params = recorder_.recorded(tool_->name, *arguments_);
        if (auto passwords = known_passwords()) params = passwords->redactor().redact_all(std::move(params));
        recorder_.options_.store->record(store::RequestRecord{.ref_id = reference_.ref_id,
                                                              .session_id = session_.session_id,
                                                              .tool_name = tool_->name,
                                                              .params = json::serialize(params),
                                                              .request_id = request_id_});
    }
    Result<void> check() const override {
        if (is_known_form_) return ok();
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "\"_response\" must be full, ref or delta.",
                     .hint = "Leave it out for the server's own (--response)."};
    }
    const std::string& ref_id() const override { return reference_.ref_id; }
    const json::value& arguments() const override { return *arguments_; }

    void give_up(std::string why) override {
        start(false);
        if (std::exchange(finished_, true) || reference_.ref_id.empty()) return;
        recorder_.options_.store->record(store::ResponseRecord{
            .ref_id = reference_.ref_id, .status = store::Status::Error, .error_message = std::move(why)});
    }

    Task<std::string> finish(tools::ToolResult result, Render render) override {
        finished_ = true;
        bool is_foreign = !result.raw_json.empty();
        // Nobody has told which fields take passwords.
        bool is_unknown = is_foreign || !result.page;
        // Every sent or stored part of a result passes this redaction.
        std::size_t size = tools::size_of(result);
        if (size < kLargeText) {
            tools::redact(recorder_.secrets_.redactor(), result);
        } else {
            result = co_await aside<tools::ToolResult>(
                size, [result = std::move(result), redactor = recorder_.secrets_.redactor()]() mutable {
                    tools::redact(redactor, result);
                    return Result<tools::ToolResult>(std::move(result));
                });
        }
        std::string full;
        std::optional<tools::ToolResult> given;
        if (is_unknown) passwords_ = typed_elsewhere();
        if (is_foreign) {
            full = render(result);
            if (is_marked()) given = result;
            std::filesystem::path directory = std::move(result.link_base);
            if (directory.empty()) directory = recorder_.options_.snapshots;
            result = taken_apart(result.raw_json);
            std::string text = text_of(result);
            result.page = read_page(text);
            co_await read_linked(std::move(text), std::move(directory), result.page);
        }
        if (reads_record_ && !result.is_error) note_reading();
        store::ResponseRecord record = to_record(result);
        std::optional<std::string> kept = without_passwords(result, is_unknown, full, render, record);
        std::optional<tools::ToolResult> shown = shorten(result);
        // The record keeps the text without the marks.
        if (is_marked()) shown = mark_untrusted(shown ? *shown : given ? *given : result);
        if (full.empty()) full = co_await rendered(size, render, std::move(result));
        std::string sent = shown ? co_await rendered(size, render, std::move(*shown)) : full;
        if (!reference_.ref_id.empty()) {
            record.result = kept ? std::move(*kept) : std::move(full);
            store::Store& store = *recorder_.options_.store;
            if (recorder_.options_.durable)
                (void)co_await as_result(store.record_durably(std::move(record)));
            else
                store.record(std::move(record));
        }
        co_return sent;
    }

private:
    // Runs the work off the loop when it concerns that many bytes.
    template <class T>
    Task<T> aside(std::size_t bytes, std::function<Result<T>()> work) {
        Loop* loop = recorder_.options_.loop;
        if (!loop) co_return co_await work();
        co_return co_await off_loop<T>(*loop, bytes, std::move(work));
    }
    Task<std::string> rendered(std::size_t bytes, Render render, tools::ToolResult result) {
        return aside<std::string>(bytes, [render = std::move(render), result = std::move(result)]() mutable {
            return Result<std::string>(render(std::move(result)));
        });
    }

    // Whether pages can influence the tool's answer. Tools that read the record count, too.
    bool is_marked() const {
        return recorder_.options_.answers.mark_untrusted && tool_->capability != "config";
    }

    // Cleans the files that another server's answer links to, and reads the snapshot and the new console
    // messages. Without files, the messages are in the answer of the server's console tool.
    Task<> read_linked(std::string text, std::filesystem::path directory,
                       std::shared_ptr<tools::PageNote>& page) {
        using NamedBy = LinkedFiles::NamedBy;
        std::vector<tools::NotedMessage> messages;
        std::string snapshot = linked_snapshot(text);
        if (auto lines = linked_console(text)) {
            if (auto log = co_await clean(directory, lines->file, NamedBy::Server)) {
                int before = static_cast<int>(log->lines_before);
                messages =
                    read_console(log->text, {lines->file, lines->first - before, lines->last - before});
            }
        }
        for (const std::string& name : LinkedFiles::names_in(text)) {
            bool is_snapshot = name == snapshot;
            if (!is_snapshot && tool_->name.ends_with(kStateTool)) continue;
            auto file = co_await clean(directory, name, is_snapshot ? NamedBy::Server : NamedBy::Agent);
            if (file && is_snapshot && page && !page->snapshot) page->snapshot = std::move(file->text);
        }
        if (messages.empty() && tool_->name == kConsoleTool) messages = read_console(text);
        if (messages.empty()) co_return;
        if (!page) page = std::make_shared<tools::PageNote>();
        page->console = std::move(messages);
    }

    Task<std::optional<LinkedFiles::Cleaned>> clean(const std::filesystem::path& directory,
                                                    const std::string& name, LinkedFiles::NamedBy named_by) {
        if (directory.empty()) co_return std::nullopt;
        auto job = recorder_.files_.job(directory, name, named_by, begun_);
        if (!job) co_return std::nullopt;
        std::filesystem::path path = job->file;
        std::error_code unknown;
        std::uintmax_t size = std::filesystem::file_size(path, unknown);
        if (unknown) co_return std::nullopt;
        auto cleaned = co_await aside<std::optional<LinkedFiles::Cleaned>>(
            size, [job = std::move(*job), secrets = recorder_.secrets_.redactor(),
                   passwords = passwords_.redactor()] {
                return Result<std::optional<LinkedFiles::Cleaned>>(
                    LinkedFiles::clean(job, secrets, passwords));
            });
        if (cleaned) recorder_.files_.keep(path, cleaned->left);
        co_return cleaned;
    }

    std::shared_ptr<const session::TypedPasswords> known_passwords() const {
        auto known = recorder_.sessions_.find(session_.session_id);
        return known == recorder_.sessions_.end() ? nullptr : known->second.passwords;
    }

    // Without that knowledge, all that a call types may be a password.
    session::TypedPasswords typed_elsewhere() {
        session::TypedPasswords passwords;
        if (auto known = known_passwords()) passwords = *known;
        auto texts = tools::typed_texts(tool_->name, *arguments_);
        // Keys with names, such as Tab, lead to another place.
        bool is_key = tools::types_key(tool_->name) && !texts.empty();
        for (std::string& text : texts) {
            if (is_key) text = recorder_.sessions_[session_.session_id].keys += text;
            passwords.add(std::move(text));
        }
        auto answered = recorder_.sessions_.find(session_.session_id);
        if (answered != recorder_.sessions_.end() && !is_key && tool_->effect != tools::Effect::ReadsPage)
            answered->second.keys.clear();
        return passwords;
    }

    // The recorded form of a result when passwords were typed, because the answer repeats its caller's texts.
    // Nothing when none were typed.
    std::optional<std::string> without_passwords(const tools::ToolResult& given, bool is_unknown,
                                                 const std::string& full, const Render& render,
                                                 store::ResponseRecord& record) {
        if (reference_.ref_id.empty()) return std::nullopt;
        session::TypedPasswords& passwords = passwords_;
        if (!is_unknown && given.page->passwords) passwords = *given.page->passwords;
        bool types = tools::types_text(tool_->name);
        json::value params =
            is_unknown
                ? tools::without_typed(tool_->name, *arguments_)
                : tools::without_passwords(
                      tool_->name, tools::with_secret_marks(tool_->name, *arguments_, recorder_.secrets_),
                      passwords);
        if (types || !passwords.redactor().empty())
            record.params = json::serialize(
                passwords.redactor().redact_all(recorder_.secrets_.redact_all(std::move(params))));
        if (!passwords.redactor().empty())
            recorder_.sessions_[session_.session_id].passwords =
                std::make_shared<const session::TypedPasswords>(passwords);
        if (passwords.redactor().empty()) return std::nullopt;
        tools::ToolResult result = given;
        if (result.page) result.page = std::make_shared<tools::PageNote>(*result.page);
        tools::redact(passwords.redactor(), result);
        std::optional<std::string> recorded = std::move(record.params);
        record = to_record(result);
        record.params = std::move(recorded);
        return full.empty() ? render(std::move(result))
                            : passwords.redactor().redact_json(full, Redactor::Numbers::Hide);
    }

    // Everything except the result's bytes.
    store::ResponseRecord to_record(const tools::ToolResult& result) const {
        store::ResponseRecord record{.ref_id = reference_.ref_id, .timestamp = now()};
        if (reference_.ref_id.empty()) return record;
        record.status = result.is_error ? store::Status::Error : store::Status::Success;
        if (result.is_error) record.error_message = text_of(result);
        if (const tools::PageNote* page = result.page.get()) {
            record.page_snapshot = page->snapshot;
            record.console_logs = to_messages(*page);
            record.network = to_network(*page);
            record.page_url = page->url;
            record.page_title = page->title;
        }
        return record;
    }

    std::optional<tools::ToolResult> shorten(const tools::ToolResult& result) {
        if (!shows_pages(*tool_) || reads_record_) return std::nullopt;
        Answered& answered = recorder_.sessions_[session_.session_id];
        bool bounded = recorder_.options_.answers.max_chars || recorder_.options_.answers.budget;
        bool keeps = wanted_.mode == Mode::Delta || bounded || answered.wants_differences;
        if (wanted_.mode == Mode::Full && !bounded && !keeps) return std::nullopt;
        answered.wants_differences = keeps;
        reference_.session_id = session_.name.empty() ? session_.session_id : session_.name;
        reference_.timestamp = store::to_text(now());
        reference_.tool = tool_->name;
        auto before = answered.snapshot;
        Wanted wanted = wanted_;
        if (asks_for_page_ && wanted.mode == Mode::Delta) wanted.mode = Mode::Full;
        Shaped shown = shape({result, reference_, before.get()}, wanted);
        answered.sent += text_size(shown.result ? *shown.result : result);
        if (keeps && result.page && result.page->snapshot && result.page->whole_page) {
            auto& place = shown.shows_page ? answered.snapshot : answered.unread;
            place = std::make_shared<const std::string>(*result.page->snapshot);
            answered.unread_ref = shown.shows_page ? "" : reference_.ref_id;
        }
        return std::move(shown.result);
    }

    // Reading all of a page that an answer left out makes that page known.
    void note_reading() const {
        auto known = recorder_.sessions_.find(session_.session_id);
        if (known == recorder_.sessions_.end() || known->second.unread_ref.empty()) return;
        for (const auto& [name, value] : arguments_->as_object()) {
            if (name == "ref_id" ? value != json::value(known->second.unread_ref)
                                 : !tools::is_session_argument(name) && name != "reset_cursor")
                return;
        }
        known->second.snapshot = std::exchange(known->second.unread, nullptr);
        known->second.unread_ref.clear();
    }

    CallRecorder& recorder_;
    std::shared_ptr<const tools::Tool> tool_;
    const json::value* arguments_;
    json::value own_arguments_;
    tools::RecordIdentity session_;
    Wanted wanted_;
    Reference reference_;
    bool is_known_form_ = true;   // the call's _response is valid
    bool asks_for_page_ = false;  // asks for the page itself, whatever earlier answers have shown of it
    bool reads_record_ = false;   // the result is neither stored nor shortened
    tools::Caller caller_;
    std::string request_id_;
    bool started_ = false, finished_ = false;
    session::TypedPasswords passwords_;  // of the session
    std::chrono::system_clock::time_point begun_ = std::chrono::system_clock::now();
};

CallRecorder::CallRecorder(RecorderOptions options)
    : options_(std::move(options)),
      secrets_(options_.secrets, {}, options_.redact_url_params),
      files_(options_.answers.mark_untrusted ? LinkedFiles::Marks::Yes : LinkedFiles::Marks::No) {}

std::unique_ptr<mcp::RecordedCall> CallRecorder::begin(const mcp::CallInfo& call) {
    return std::make_unique<Call>(*this, call);
}

bool CallRecorder::has_recorded(const std::string& session_id) const {
    auto known = sessions_.find(session_id);
    return known != sessions_.end() && known->second.recorded;
}

std::string CallRecorder::redacted(std::string text) const { return secrets_.redact(std::move(text)); }
std::string CallRecorder::redacted_json(std::string text) const {
    return secrets_.redactor().redact_json(std::move(text), Redactor::Numbers::Keep);
}

json::value CallRecorder::recorded(const std::string& tool, json::value arguments) const {
    if (json::object* given = arguments.if_object()) given->erase(kResponse);
    return secrets_.redact_all(tools::without_typed(tool, std::move(arguments)));
}

tools::ResourceContents CallRecorder::shown(tools::ResourceContents contents) {
    tools::redact(secrets_.redactor(), contents);
    return options_.answers.mark_untrusted ? mark_untrusted(std::move(contents)) : contents;
}

tools::RecordIdentity CallRecorder::identify(const mcp::CallInfo& call) const {
    tools::Caller caller = call.caller;
    caller.session_name = tools::session_named(*call.tool, call.caller, call.arguments);
    return options_.identify(caller);
}

Wanted CallRecorder::wanted(const std::string& session_id, const json::value* given) {
    Wanted wanted{.mode = options_.answers.mode, .max_chars = options_.answers.max_chars};
    if (given && given->is_string()) wanted.mode = mode_of(given->get_string()).value_or(wanted.mode);
    // Without a record a reference is useless.
    if (wanted.mode == Mode::Ref && !options_.store) wanted.mode = Mode::Full;
    if (options_.answers.budget) {
        auto known = sessions_.find(session_id);
        std::size_t sent = known == sessions_.end() ? 0 : known->second.sent;
        std::size_t left = *options_.answers.budget - std::min(sent, *options_.answers.budget);
        wanted.max_chars = std::min(wanted.max_chars.value_or(left), left);
    }
    if (wanted.max_chars && options_.answers.mark_untrusted)
        *wanted.max_chars -= std::min(*wanted.max_chars, kUntrustedMarkRoom);
    return wanted;
}

namespace {

std::optional<std::string> state_id_of(const tools::RecordIdentity& session) {
    return session.state_id.empty() ? std::nullopt : std::optional(session.state_id);
}

}  // namespace

void CallRecorder::session_began(const tools::RecordIdentity& session, const tools::Caller& caller) {
    // Callers can use any number of names, so the map is bounded. Clearing loses only state for later
    // answers.
    if (sessions_.size() >= kMaxSessions && !sessions_.contains(session.session_id)) sessions_.clear();
    if (!options_.store || std::exchange(sessions_[session.session_id].recorded, true)) return;
    json::object metadata{{"owner", session.owner}, {"name", session.name}};
    if (std::string agent = caller.label(); !agent.empty()) metadata["agent"] = agent;
    if (!caller.client_name.empty()) metadata["client"] = caller.client_name;
    if (!caller.client_version.empty()) metadata["clientVersion"] = caller.client_version;
    if (!caller.directory.empty()) metadata["directory"] = caller.directory;
    options_.store->record(store::SessionRecord{.session_id = session.session_id,
                                                .metadata = json::serialize(metadata),
                                                .state_id = state_id_of(session)});
}

void CallRecorder::session_changed(const tools::RecordIdentity& session, store::SessionState state) {
    auto known = sessions_.find(session.session_id);
    if (known == sessions_.end() || !known->second.recorded) return;
    if (state == store::SessionState::Closed) sessions_.erase(known);
    options_.store->record(store::SessionRecord{
        .session_id = session.session_id, .state = state, .state_id = state_id_of(session)});
}

}  // namespace record
