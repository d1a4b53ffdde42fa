#include "tools/response.h"

#include <algorithm>

#include "tools/error_answer.h"
#include "tools/output_resources.h"
#include "tools/result_limit.h"
#include "tools/webmcp.h"
#include "util/off_loop.h"
#include "util/strings.h"
#include "util/untrusted_mark.h"

namespace tools {
namespace {

using session::SnapshotDelivery;
using session::TabHeader;

// A page that never answers must not keep the call until its own deadline.
constexpr std::chrono::milliseconds kSnapshotTimeout{30'000};
// The limit when the page did not respond in time after an action: it may only be slow.
constexpr std::chrono::milliseconds kHeldUpTimeout{5'000};

Task<> wait_for(Completion<bool> done) { (void)co_await done; }

std::string explain(const engine::Page::HeldUp& held_up) {
    if (held_up.url.empty()) return "No snapshot: a script of the page is busy and lets nothing else happen.";
    return "No snapshot: the page still waits for an answer from " + held_up.url +
           ". browser_wait_for lets it wait on; any other call that needs the page stops the navigation.";
}

std::vector<std::string> page_lines(const TabHeader& tab) {
    std::vector<std::string> lines = {"- Page URL: " + tab.url};
    if (!tab.title.empty()) lines.push_back("- Page Title: " + tab.title);
    if (tab.crashed) lines.emplace_back("- Page status: crashed");
    if (tab.status && (tab.status->status < 200 || tab.status->status >= 300)) {
        std::string text = tab.status->text.empty() ? "" : " " + tab.status->text;
        lines.push_back("- HTTP status: " + std::to_string(tab.status->status) + text);
    }
    if (tab.page_tools > 0) {
        lines.push_back("- " + std::to_string(tab.page_tools) + " webmcp tool" +
                        (tab.page_tools == 1 ? "" : "s") + " available on the page");
    }
    if (tab.console.errors + tab.console.warnings > 0) {
        lines.push_back("- Console: " + std::to_string(tab.console.errors) + " errors, " +
                        std::to_string(tab.console.warnings) + " warnings");
    }
    return lines;
}

std::vector<std::string> modal_lines(const std::vector<engine::Modal>& modals) {
    std::vector<std::string> lines;
    for (const engine::Modal& modal : modals) {
        if (modal.kind == engine::Modal::Kind::FileChooser) {
            lines.emplace_back("- [File chooser]: can be handled by browser_file_upload");
        } else {
            lines.push_back("- [\"" + modal.dialog_type + "\" dialog with message \"" + modal.message +
                            "\"]: can be handled by browser_handle_dialog");
        }
    }
    return lines;
}

}  // namespace

std::vector<std::string> to_lines(const std::vector<TabHeader>& tabs) {
    if (tabs.empty()) return {"No open tabs. Navigate to a URL to create one."};
    std::vector<std::string> lines;
    lines.reserve(tabs.size());
    for (const TabHeader& tab : tabs) {
        lines.push_back("- " + std::to_string(lines.size()) + ":" + (tab.current ? " (current)" : "") + " [" +
                        tab.title + "](" + tab.url + ")" +
                        (tab.id.empty() ? "" : " [targetId=" + tab.id + "]") +
                        (tab.read_only ? " [read-only]" : "") + (tab.crashed ? " [crashed]" : ""));
    }
    return lines;
}

void note_activity(const session::Session& session, PageNote& note, const session::Tab* acting) {
    using Level = NotedMessage::Level;
    note.passwords = session.passwords();
    const session::Tab* shown = acting ? acting : session.current_tab().get();
    if (note.url.empty() && shown) note.url = well_formed(session.secrets().redact(shown->page().url()));
    for (const auto& tab : session.tabs_beside(acting)) {
        for (const engine::ConsoleEntry& entry : tab->take_logged()) {
            Level level = Level::Debug;
            if (reaches(entry, session::ConsoleLevel::Error))
                level = Level::Error;
            else if (reaches(entry, session::ConsoleLevel::Warning))
                level = Level::Warning;
            else if (reaches(entry, session::ConsoleLevel::Info))
                level = Level::Info;
            const std::string& text = entry.uncaught && !entry.stack.empty() ? entry.stack : entry.text;
            note.console.push_back({.level = level,
                                    .text = well_formed(session.secrets().redact(text)),
                                    .url = session.secrets().redact(entry.url),
                                    .line = entry.line,
                                    .column = entry.column,
                                    .time = entry.time});
        }
        for (const engine::RequestEntry* request : tab->take_requests()) {
            note.requests.push_back({.method = request->method,
                                     .url = session.secrets().redact(request->url),
                                     .resource_type = request->resource_type,
                                     .status = request->status.value_or(0),
                                     .status_text = request->status_text,
                                     .mime_type = request->mime_type,
                                     .failure = request->failure,
                                     .duration = request->duration.value_or(std::chrono::milliseconds(0))});
        }
    }
}

namespace {

// The session's notes since its last call, if any.
std::vector<std::string> session_lines(session::Session& session) {
    std::vector<std::string> lines = session.take_notes();
    for (std::string& line : lines) line.insert(0, "- ");
    return lines;
}

// Counts texts until they are worth a thread.
bool is_large(const json::value& value, std::size_t& size) {
    constexpr std::size_t kMember = 8;
    size += kMember;
    auto is = [&](const json::value& each) { return is_large(each, size); };
    if (const auto* text = value.if_string()) size += text->size();
    if (const auto* array = value.if_array(); array && std::ranges::any_of(*array, is)) return true;
    if (const auto* object = value.if_object()) {
        for (const auto& [name, member] : *object)
            if (is(member)) return true;
    }
    return size >= kLargeText;
}

bool is_large(const json::value& value) {
    std::size_t size = 0;
    return is_large(value, size);
}

}  // namespace

ToolResult failed(session::Session& session, const Error& error, const session::Tab* acting) {
    std::string text = "### Error\n" + session::to_text(error);
    if (auto lines = session_lines(session); !lines.empty()) text += "\n### Session\n" + join(lines, "\n");
    ToolResult result = ToolResult::error(well_formed(session.secrets().redact(std::move(text))));
    for (const auto& tab : session.tabs_beside(acting)) tab->log_console();
    result.page = std::make_shared<PageNote>();
    note_activity(session, *result.page, acting);
    return result;
}

std::shared_ptr<session::Tab> Response::tab() const {
    if (!acting_) return session_.current_tab();
    if (std::ranges::find(session_.tabs(), acting_) != session_.tabs().end()) return acting_;
    // The tab has been closed. Shows its neighbour instead, unless another call is using that one.
    std::shared_ptr<session::Tab> next = session_.current_tab();
    auto beside = session_.tabs_beside(acting_.get());
    return std::ranges::find(beside, next) != beside.end() ? next : nullptr;
}

Task<std::shared_ptr<session::Tab>> Response::ensure_tab() {
    if (!acting_) co_return co_await session_.ensure_tab();
    co_await acting_->initialized();
    co_return acting_;
}

ToolResult failed_as_json(session::Session& session, const Error& error,
                          std::shared_ptr<session::Tab> acting) {
    const json::value none;
    Response response(session, none, std::move(acting));
    response.answer_error(error);
    return response.end_structured(
        Response::print(response.begin_structured(), session.secrets().redactor()));
}

void Response::answer_error(const Error& error, json::object context) {
    structured_ = error_answer(error, std::move(context));
    structured_error_ = true;
}

json::value Response::begin_structured() {
    for (const auto& tab : session_.tabs_beside(acting_.get())) tab->log_console();
    session_.workspace().trim_output(written_);
    if (auto notes = session_.take_notes(); !notes.empty() && structured_->is_object()) {
        json::array lines;
        for (std::string& note : notes) lines.emplace_back(std::move(note));
        structured_->as_object()["session"] = std::move(lines);
    }
    return std::move(*structured_);
}

Response::Printed Response::print(json::value answer, const Redactor& redactor) {
    Printed printed{.answer = redactor.redact_all(std::move(answer))};
    printed.text = json::serialize(printed.answer);
    printed.size = size_sent_twice(printed.text);
    return printed;
}

Task<ToolResult> Response::finish_structured() {
    json::value answer = begin_structured();
    const Redactor& redactor = session_.secrets().redactor();
    Printed printed;
    if (is_large(answer)) {
        printed = co_await on_worker<Printed>(
            session_.loop(), [answer = std::move(answer), redactor]() mutable -> Result<Printed> {
                return print(std::move(answer), redactor);
            });
    } else {
        printed = print(std::move(answer), redactor);
    }
    auto limit = session_.options().budget.result_bytes;
    if (limit && printed.size > *limit) {
        printed = print(co_await leave_out(std::move(printed), *limit), redactor);
        structured_error_ = true;
    }
    co_return end_structured(std::move(printed));
}

ToolResult Response::end_structured(Printed printed) {
    ToolResult result{.is_error = structured_error_, .page = note_};
    note_activity(session_, *note_, acting_.get());
    result.content.emplace_back(Text{std::move(printed.text)});
    if (session_.options().image_responses != session::ImageResponses::Omit) {
        for (Image& image : images_) result.content.emplace_back(std::move(image));
    }
    result.structured = std::move(printed.answer);
    return result;
}

Result<OutputFile> Response::output_file(const session::FileName& name) const {
    std::filesystem::path path = TRY(session_.workspace().output_file(name));
    return OutputFile{path, session_.workspace().printable(path)};
}

Result<void> Response::write(const OutputFile& file, std::string_view bytes) {
    written_.insert(file.path);
    session_.workspace().own(file.path);
    return session_.workspace().write(file.path, bytes);
}

Result<void> Response::write_text(const OutputFile& file, std::string text) {
    text = session_.secrets().redact(std::move(text));
    // Unlike the answer, a file stays.
    text = well_formed(session_.passwords()->redactor().redact(std::move(text)));
    return write(file, session_.options().mark_untrusted ? UntrustedMark().around(text) : text);
}

Result<void> Response::add_file(std::string_view title, const OutputFile& file, std::string_view bytes) {
    TRY(write(file, bytes));
    add_text("- [" + std::string(title) + "](" + file.shown + ")");
    return ok();
}

Result<void> Response::add_result(std::string_view title, std::string text, const session::FileName& name) {
    if (name.given.empty()) {
        add_text(std::move(text));
        return ok();
    }
    OutputFile file = TRY(output_file(name));
    TRY(write_text(file, std::move(text)));
    add_text("- [" + std::string(title) + "](" + file.shown + ")");
    return ok();
}

void Response::include_snapshot() {
    if (session_.options().snapshot_mode == session::SnapshotMode::Full) snapshot_ = Snapshot::Automatic;
    request_ = {};
}

void Response::include_snapshot(SnapshotRequest request) {
    snapshot_ = Snapshot::Requested;
    request_ = std::move(request);
}

void Response::add_section(std::string title, std::vector<std::string> lines, std::string fence) {
    if (!lines.empty()) sections_.push_back({std::move(title), std::move(lines), std::move(fence)});
}

Result<void> Response::add_snapshot_section(std::string snapshot) {
    const session::SessionOptions& options = session_.options();
    bool requested = snapshot_ == Snapshot::Requested;
    bool wanted = options.snapshot_delivery != SnapshotDelivery::File;
    bool fits = wanted && snapshot.size() <= options.snapshot_inline_limit;
    if (requested ? request_.file.empty() : fits && options.snapshot_delivery == SnapshotDelivery::Inline) {
        add_section("Snapshot", {std::move(snapshot)}, "yaml");
        return ok();
    }
    session::FileName name{
        .prefix = "page", .extension = "yml", .given = request_.file == "<auto>" ? "" : request_.file};
    OutputFile file = TRY(output_file(name));
    TRY(write_text(file, snapshot));
    std::vector<std::string> lines{"- [Snapshot](" + file.shown + ")"};
    if (fits && !requested) {
        lines.insert(lines.end(), {"```yaml", std::move(snapshot), "```"});
    } else if (auto link = output_link(session_.workspace(), file.path); link && wanted) {
        // An agent that asks for snapshots in the answer may not be able to read the server's files.
        links_.push_back(std::move(*link));
    }
    add_section("Snapshot", std::move(lines));
    return ok();
}

void Response::note_page(const std::vector<TabHeader>& headers, const std::optional<std::string>& snapshot) {
    const session::Secrets& secrets = session_.secrets();
    auto current = std::ranges::find_if(headers, &TabHeader::current);
    if (current != headers.end()) {
        note_->url = well_formed(secrets.redact(current->url));
        note_->title = well_formed(secrets.redact(current->title));
    }
    if (snapshot) note_->snapshot = well_formed(secrets.redact(*snapshot));
    note_->whole_page = !request_.root && !request_.depth;
}

// Iterates over a copy: a tab may open or close while the others are asked for their titles.
Task<std::vector<TabHeader>> Response::read_headers(bool& changed) {
    // The result already shows these tabs, so they do not count as changed.
    if (headers_) co_return std::move(*headers_);
    std::vector<TabHeader> headers;
    std::shared_ptr<session::Tab> current = tab();
    for (const auto& each : std::vector(session_.tabs())) {
        auto beside = session_.tabs_beside(acting_.get());
        if (std::ranges::find(beside, each) == beside.end()) {
            headers.push_back(each->known_header());
            continue;
        }
        session::Tab::Shown shown = co_await each->take_header(each == current);
        changed |= shown.changed;
        headers.push_back(std::move(shown.header));
    }
    co_return headers;
}

Task<> Response::add_page_sections() {
    std::shared_ptr<session::Tab> tab = this->tab();
    std::optional<std::string> snapshot;
    bool undisturbed = true;
    // When an action left the page busy, the answer says so instead of waiting.
    std::optional<engine::Page::HeldUp> held_up;
    if (tab && snapshot_ == Snapshot::Automatic) held_up = tab->page().held_up();
    if (held_up && !held_up->url.empty()) {
        undisturbed = tab->modals().empty();
    } else if (tab && snapshot_ != Snapshot::None) {
        engine::SnapshotOptions options{.depth = request_.depth,
                                        .boxes = request_.boxes.value_or(session_.options().snapshot_boxes)};
        auto limit = held_up ? kHeldUpTimeout : kSnapshotTimeout;
        Deadline deadline = tab->deadline_in(limit, "the snapshot");
        Completion<bool> collected(session_.loop());
        Running collecting =
            start(tab->read_page_tools(), [collected](Result<void>) { collected.set(true); });
        auto taken = co_await as_result(
            tab->run({.name = "page.ariaSnapshot", .limit = limit},
                     session::capture_into(tab->snapshot(options, request_.root, deadline), snapshot)));
        bool late = !taken && taken.error().code == ErrorCode::Timeout;
        if (!taken && !(late && held_up)) co_await taken.error();
        undisturbed = !taken || *taken;
        if (undisturbed && !collected.is_set()) undisturbed = co_await tab->until_modal(wait_for(collected));
    } else if (tab) {
        undisturbed = tab->modals().empty();
    }

    std::vector<std::string> events = session_.take_left_events();
    // A copy: a tab may open or close while the others are asked for their titles.
    for (const auto& each : session_.tabs_beside(acting_.get())) each->log_console();
    if (tab && undisturbed) std::ranges::move(tab->take_events(), std::back_inserter(events));
    bool is_shown = snapshot || !held_up || !undisturbed;
    if (!is_shown) events.push_back(explain(*held_up));

    bool assigned = session_.take_assignment() && !lists_tabs_;
    bool changed = snapshot_ != Snapshot::None || assigned;
    std::vector<TabHeader> headers = co_await read_headers(changed);
    note_page(headers, snapshot);
    if (changed && (headers.size() != 1 || assigned)) add_section("Open tabs", to_lines(headers));
    if (changed && !headers.empty()) {
        auto current = std::ranges::find_if(headers, &TabHeader::current);
        add_section("Page", page_lines(current == headers.end() ? headers.front() : *current));
    }
    if (!undisturbed) add_section("Modal state", modal_lines(tab->modals()));
    if (tab && snapshot_ != Snapshot::None && is_shown)
        co_await add_snapshot_section(page_tool_lines(tab->page_tools()) + std::move(snapshot).value_or(""));
    session_.check_page_tools();
    for (std::string& event : events) event.insert(0, "- ");
    add_section("Events", std::move(events));
    add_section("Session", session_lines(session_));
}

Task<ToolResult> Response::finish() {
    if (structured_) co_return co_await finish_structured();
    const session::SessionOptions& options = session_.options();
    if (lists_tabs_) {
        // With a snapshot, the titles have to be those after it, so the short list is read again then.
        bool changed = false;
        std::vector<TabHeader> headers = co_await read_headers(changed);
        results_.push_back(join(to_lines(headers), "\n"));
        if (snapshot_ == Snapshot::None) headers_ = std::move(headers);
    }
    add_section("Error", errors_);
    add_section("Result", results_);
    if (options.codegen != session::Codegen::None && !code_.empty()) {
        std::string code = with_secret_code(join(code_, "\n"), session_.secrets().names(), options.codegen);
        add_section("Ran Playwright code", {std::move(code)}, std::string(fence_of(options.codegen)));
    }
    co_await add_page_sections();
    co_await keep_within_limit();
    session_.workspace().trim_output(written_);

    ToolResult result{.is_error = !errors_.empty(), .page = note_};
    note_activity(session_, *note_, acting_.get());
    if (options.image_responses == session::ImageResponses::Omit) images_.clear();
    bool only_images =
        options.image_responses == session::ImageResponses::Only && !images_.empty() && !result.is_error;
    if (!only_images) result.content.emplace_back(Text{co_await printed()});
    for (ResourceLink& link : links_) result.content.emplace_back(std::move(link));
    for (Image& image : images_) result.content.emplace_back(std::move(image));
    co_return result;
}

}  // namespace tools
