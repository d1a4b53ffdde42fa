#include "record/recorder.h"

#include "record/answer_text.h"
#include "record/console_text.h"
#include "record/export.h"
#include "record/fence.h"
#include "store/time_text.h"
#include "tools/redact_result.h"
#include "tools/session_param.h"
#include "tools/typed_arguments.h"
#include "util/crypto.h"
#include "util/files.h"

namespace record {
namespace {

constexpr std::string_view kResponse = "_response", kHistory = "history",
                           kConsoleTool = "browser_console_messages";
constexpr std::size_t kMostSessions = 100'000;

store::Time now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

bool shows_pages(const tools::Tool& tool) { return tool.acts_in_session || !tool.as_given.empty(); }

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
        // The usual is not worth its room.
        if (each.status_text != kUsualStatus) request["statusText"] = each.status_text;
        if (!each.failure.empty()) request["failure"] = each.failure;
        requests.push_back(std::move(request));
    }
    return json::serialize(requests);
}

}  // namespace

// A call between its request and its answer.
class Recorder::Call final : public mcp::KeptCall {
public:
    Call(Recorder& recorder, const mcp::CallToKeep& call)
        : recorder_(recorder), tool_(call.tool), arguments_(&call.arguments) {
        const json::value* wanted = json::find(call.arguments, kResponse);
        session_ = recorder.identify(call);
        wanted_ = recorder.wanted(session_.session_id, wanted);
        if (wanted) {
            own_arguments_ = call.arguments;
            own_arguments_.as_object().erase(kResponse);
            arguments_ = &own_arguments_;
        }
        reads_record_ = tool_->capability == kHistory && tool_->effect == tools::Effect::ReadsServer;
        if (!recorder.options_.store || reads_record_) return;
        reference_.ref_id = random_uuid();
        recorder.session_began(session_, call.caller);
        recorder.options_.store->record(store::RequestRecord{
            .ref_id = reference_.ref_id,
            .session_id = session_.session_id,
            .tool_name = tool_->name,
            .params =
                json::serialize(recorder.secrets_.redact_all(tools::without_typed(tool_->name, *arguments_))),
            .request_id = call.request_id});
    }
    Call(const Call&) = delete;
    ~Call() override { give_up("The call was cancelled."); }

    const std::string& ref_id() const override { return reference_.ref_id; }
    const json::value& arguments() const override { return *arguments_; }

    void give_up(std::string why) override {
        if (std::exchange(finished_, true) || reference_.ref_id.empty()) return;
        recorder_.options_.store->record(store::ResponseRecord{
            .ref_id = reference_.ref_id, .status = store::Status::Error, .error_message = std::move(why)});
    }

    Task<std::string> finish(tools::ToolResult result, Render render) override {
        finished_ = true;
        // Nothing that is sent or kept of a result has another way out.
        tools::redact(recorder_.secrets_.redactor(), result);
        std::string full;
        std::optional<tools::ToolResult> given;
        if (!result.as_given.empty()) {
            full = render(result);
            if (is_fenced()) given = result;
            std::filesystem::path directory = std::move(result.links_from);
            if (directory.empty()) directory = recorder_.options_.snapshots;
            result = taken_apart(result.as_given);
            std::string text = text_of(result);
            result.page = read_page(text);
            if (result.page && !result.page->snapshot) read_linked(text, directory, *result.page);
            note_console(text, directory, result.page);
        }
        if (reads_record_ && !result.is_error) note_reading();
        store::ResponseRecord record = to_record(result);
        std::optional<std::string> kept = without_passwords(result, full, render, record);
        std::optional<tools::ToolResult> shown = shorten(result);
        // The record keeps the words without their fence.
        if (is_fenced()) shown = fenced(shown ? *shown : given ? *given : result);
        if (full.empty()) full = render(std::move(result));
        std::string sent = shown ? render(std::move(*shown)) : full;
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
    // Whether pages have a say in what the tool answers. Those of the record tell of pages, too.
    bool is_fenced() const {
        return recorder_.options_.answers.mark_untrusted && tool_->capability != "config";
    }

    static void read_linked(std::string_view text, const std::filesystem::path& directory,
                            tools::PageNote& page) {
        std::string file = directory.empty() ? "" : linked_snapshot(text);
        if (file.empty()) return;
        if (auto read = read_file(directory / file)) page.snapshot = std::move(*read);
    }

    // From the events of an answer, or from that of the server's console tool.
    void note_console(std::string_view text, const std::filesystem::path& directory,
                      std::shared_ptr<tools::PageNote>& page) const {
        std::vector<tools::NotedMessage> messages;
        if (auto lines = directory.empty() ? std::nullopt : linked_console(text)) {
            if (auto file = read_file(directory / lines->file)) messages = read_console(*file, *lines);
        }
        if (messages.empty() && tool_->name == kConsoleTool) messages = read_console(text);
        if (messages.empty()) return;
        if (!page) page = std::make_shared<tools::PageNote>();
        page->console = std::move(messages);
    }

    // What is kept of a result where passwords were typed: the answer itself repeats what its caller gave.
    // Nothing where none were.
    std::optional<std::string> without_passwords(tools::ToolResult result, const std::string& full,
                                                 const Render& render, store::ResponseRecord& record) const {
        if (reference_.ref_id.empty()) return std::nullopt;
        session::TypedPasswords passwords;
        if (result.page && result.page->passwords) passwords = *result.page->passwords;
        if (tools::types_text(tool_->name))
            record.params = json::serialize(
                recorder_.secrets_.redact_all(tools::without_passwords(tool_->name, *arguments_, passwords)));
        if (passwords.redactor().empty()) return std::nullopt;
        if (result.page) result.page = std::make_shared<tools::PageNote>(*result.page);
        tools::redact(passwords.redactor(), result);
        std::optional<std::string> params = std::move(record.params);
        record = to_record(result);
        record.params = std::move(params);
        return full.empty() ? render(std::move(result)) : passwords.redactor().redact(full);
    }

    // All but the bytes.
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
        Shaped shown = shape({result, reference_, before.get()}, wanted_);
        answered.sent += text_size(shown.result ? *shown.result : result);
        if (keeps && result.page && result.page->snapshot && result.page->whole_page) {
            auto& place = shown.shows_page ? answered.snapshot : answered.unread;
            place = std::make_shared<const std::string>(*result.page->snapshot);
            answered.unread_ref = shown.shows_page ? "" : reference_.ref_id;
        }
        return std::move(shown.result);
    }

    // Whoever reads all of a page that was left out knows it from then on.
    void note_reading() const {
        auto known = recorder_.sessions_.find(session_.session_id);
        if (known == recorder_.sessions_.end() || known->second.unread_ref.empty()) return;
        for (const auto& [name, value] : arguments_->as_object()) {
            if (name == "ref_id" ? value != json::value(known->second.unread_ref)
                                 : name != "sessionId" && name != "reset_cursor")
                return;
        }
        known->second.snapshot = std::exchange(known->second.unread, nullptr);
        known->second.unread_ref.clear();
    }

    Recorder& recorder_;
    std::shared_ptr<const tools::Tool> tool_;
    const json::value* arguments_;
    json::value own_arguments_;
    tools::RecordIdentity session_;
    Wanted wanted_;
    Reference reference_;
    bool reads_record_ = false;  // which is neither kept nor cut down
    bool finished_ = false;
};

Recorder::Recorder(RecorderOptions options) : options_(std::move(options)), secrets_(options_.secrets) {}

std::unique_ptr<mcp::KeptCall> Recorder::begin(const mcp::CallToKeep& call) {
    return std::make_unique<Call>(*this, call);
}

std::string Recorder::redacted(std::string text) const { return secrets_.redact(std::move(text)); }

tools::ResourceContents Recorder::shown(tools::ResourceContents contents) {
    tools::redact(secrets_.redactor(), contents);
    return options_.answers.mark_untrusted ? fenced(std::move(contents)) : contents;
}

tools::RecordIdentity Recorder::identify(const mcp::CallToKeep& call) const {
    tools::Caller caller = call.caller;
    caller.session_name = tools::session_named(*call.tool, call.caller, call.arguments);
    return options_.identify(caller);
}

Wanted Recorder::wanted(const std::string& session_id, const json::value* given) {
    Wanted wanted{.mode = options_.answers.mode, .max_chars = options_.answers.max_chars};
    if (given && given->is_string()) wanted.mode = mode_of(given->get_string()).value_or(wanted.mode);
    // Without a record a reference leads nowhere.
    if (wanted.mode == Mode::Ref && !options_.store) wanted.mode = Mode::Full;
    if (options_.answers.budget) {
        auto known = sessions_.find(session_id);
        std::size_t sent = known == sessions_.end() ? 0 : known->second.sent;
        std::size_t left = *options_.answers.budget - std::min(sent, *options_.answers.budget);
        wanted.max_chars = std::min(wanted.max_chars.value_or(left), left);
    }
    if (wanted.max_chars && options_.answers.mark_untrusted)
        *wanted.max_chars -= std::min(*wanted.max_chars, kFenceRoom);
    return wanted;
}

namespace {

std::optional<std::string> state_id_of(const tools::RecordIdentity& session) {
    return session.state_id.empty() ? std::nullopt : std::optional(session.state_id);
}

}  // namespace

void Recorder::session_began(const tools::RecordIdentity& session, const tools::Caller& caller) {
    // Names cost a caller nothing. What is forgotten of a session is only when it was last told of.
    if (sessions_.size() >= kMostSessions && !sessions_.contains(session.session_id)) sessions_.clear();
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

void Recorder::session_changed(const tools::RecordIdentity& session, store::SessionState state) {
    auto known = sessions_.find(session.session_id);
    if (known == sessions_.end() || !known->second.recorded) return;
    if (state == store::SessionState::Closed) sessions_.erase(known);
    options_.store->record(store::SessionRecord{
        .session_id = session.session_id, .state = state, .state_id = state_id_of(session)});
}

}  // namespace record
