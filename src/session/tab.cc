#include "session/tab.h"

#include <algorithm>

#include "engine/navigation_failure.h"
#include "policy/origin.h"
#include "session/page_tool_check.h"
#include "session/session.h"
#include "session/urls.h"

namespace session {
namespace {

// A page that does not answer in time keeps its last title.
constexpr std::chrono::milliseconds kTitleTimeout{500};
// A page that does not list its tools delays a call no longer than this.
constexpr std::chrono::seconds kToolsTimeout{2};
constexpr std::size_t kMaxPictures = 50;
constexpr std::size_t kMaxLogged = 1'000;  // messages not taken yet
// What the browser says when our proxy cannot reach a host, for https and for http.
constexpr std::string_view kTunnelFailed = "net::ERR_TUNNEL_CONNECTION_FAILED";
constexpr std::string_view kNoAnswer = "net::ERR_EMPTY_RESPONSE";
constexpr std::string_view kNoFiles = "the rule that files are not visited";
// The browser's own message for a refused page that leads to a file.
constexpr std::string_view kFileRefused = "Not allowed to load local resource: ";

bool is_ref(std::string_view target) {
    auto skip_digits = [&] {
        std::size_t count = std::min(target.find_first_not_of("0123456789"), target.size());
        target.remove_prefix(count);
        return count > 0;
    };
    if (target.starts_with('f')) {
        target.remove_prefix(1);
        if (!skip_digits()) return false;
    }
    if (!target.starts_with('e')) return false;
    target.remove_prefix(1);
    return skip_digits() && target.empty();
}

// An invalid URL fails like the browser's own refusal. Errors of our own rules stay as they are.
Result<std::string> worded(Result<std::string> url, const Operation& operation) {
    if (!url && url.error().code == ErrorCode::InvalidUrl) return in_playwright_words(url.error(), operation);
    return url;
}

bool is_refusal(std::string_view text) {
    return text.contains("net::ERR_BLOCKED_BY_CLIENT") || text.contains(kTunnelFailed);
}

TabEvent event_of(engine::DocumentEvent event) {
    switch (event) {
        case engine::DocumentEvent::Loaded:
            return TabEvent::Loaded;
        case engine::DocumentEvent::Changed:
            return TabEvent::Changed;
        case engine::DocumentEvent::Logged:
            return TabEvent::Logged;
        case engine::DocumentEvent::Requested:
            return TabEvent::Requested;
        case engine::DocumentEvent::Navigated:
        case engine::DocumentEvent::Crashed:
            break;
    }
    return TabEvent::Navigated;
}

Deadline within(Deadline call, std::chrono::milliseconds limit) {
    return limit.count() > 0 ? call.earlier(Deadline::in(limit)) : call;
}

// A script address is code and leads nowhere: browser_evaluate is the tool that runs code.
Result<void> refuse_script(const std::string& url, const Operation& operation) {
    if (!policy::is_script(url)) return ok();
    Error error{.code = ErrorCode::NavigationFailed, .message = "net::ERR_ABORTED at " + url};
    return in_playwright_words(std::move(error), operation);
}

Task<bool> explained(Task<bool> task, std::function<Error(Error)> explain) {
    auto done = co_await as_result(std::move(task));
    if (!done) co_await explain(std::move(done).error());
    co_return *done;
}

}  // namespace

Tab::Tab(Session& session, std::shared_ptr<engine::Page> page)
    : session_(session),
      page_(std::move(page)),
      id_(page_->id()),
      created_(session.options().now()),
      last_header_{.title = "about:blank", .url = "about:blank"},
      downloads_(session.loop(), *page_, session.workspace(), session.secrets().redactor(),
                 [this] { session_.notify_tab_event(*this, TabEvent::GotFile); }),
      init_(session.loop()) {
    start_console_log();
    watching_ = page_->watch_document([this](engine::DocumentEvent event) {
        if (event == engine::DocumentEvent::Crashed) return session_.take_crash(*this);
        if (event == engine::DocumentEvent::Navigated)
            note_step("the document of " + page_->url() + " has come");
        if (event == engine::DocumentEvent::Loaded) note_step(page_->url() + " has loaded");
        session_.notify_tab_event(*this, event_of(event));
    });
}

void Tab::adopt_as(std::string id, TabAccess access) {
    id_ = std::move(id);
    access_ = access;
    downloads_.skip_earlier();
    if (!page_->console().empty()) last_logged_ = page_->console().back();
}

void Tab::start_console_log() {
    console_log_ =
        std::make_unique<ConsoleLog>(session_.workspace(), session_.secrets(), session_.options().now(),
                                     session_.options().mark_untrusted, session_.console_quota());
}

bool Tab::is_current() const { return session_.current_tab().get() == this; }

Deadline Tab::wait_until(const std::string& what, Deadline limit) const {
    if (CallProgress* progress = this->progress()) progress->wait(what, limit);
    return limit;
}

CallProgress* Tab::progress() const { return call_deadline_ ? progress_.get() : session_.progress(); }

void Tab::note_step(const std::string& step) const {
    CallProgress* progress = this->progress();
    if (progress && progress->notes()) progress->note(session_.secrets().redact(step));
}

void Tab::note_step(const Operation& operation) const {
    note_step(operation.log.empty() ? std::string(operation.name) : operation.log);
}

Deadline Tab::call_deadline() const { return call_deadline_.value_or(session_.call_deadline()); }
Deadline Tab::deadline() const { return wait_until("its tool", call_deadline()); }
Deadline Tab::deadline_in(std::chrono::milliseconds span, const std::string& what) const {
    return wait_until(what, within(call_deadline(), span));
}
Deadline Tab::action_deadline() const { return deadline_in(session_.options().action_timeout, "an action"); }
Deadline Tab::expect_deadline() const { return deadline_in(session_.options().expect_timeout, "a check"); }
Deadline Tab::navigation_deadline() const {
    return deadline_in(session_.options().navigation_timeout, "a navigation");
}

Operation Tab::action(std::string_view name) const {
    return {.name = name, .limit = session_.options().action_timeout};
}

Operation Tab::check(std::string_view name) const {
    return {.name = name, .limit = session_.options().expect_timeout};
}

void Tab::start_initializing() {
    const auto& modules = session_.options().init_page;
    if (!modules.empty()) init_.start(session_.code_runner(), page_, modules);
}

Task<> Tab::initialized() {
    if (!init_.is_done()) {
        (void)wait_until("the modules of --init-page", call_deadline());
        co_await until_modal(init_.wait());
    }
    co_await init_.outcome();
}

Task<std::optional<std::string>> Tab::run_code(std::string code, Deadline deadline) {
    auto runner = session_.code_runner();
    if (!runner) co_await no_code_runner();
    co_return co_await runner->run(page_, std::move(code), deadline);
}

Task<engine::Located> Tab::find(std::string target, engine::Matches matches) {
    auto found = co_await as_result(page_->find(target, session_.language(), matches, action_deadline()));
    if (!found && found.error().code == ErrorCode::ElementNotFound) {
        found.error().message =
            is_ref(target)
                ? "Ref " + target + " not found in the current page snapshot. Try capturing new snapshot."
                : "\"" + target + "\" does not match any elements.";
        found.error().hint.clear();
    } else if (!found && found.error().code == ErrorCode::Timeout) {
        found = in_playwright_words(found.error(), action("page.$"));
    }
    co_return co_await std::move(found);
}

Task<bool> Tab::until_modal(Task<> task) {
    if (!modals().empty()) co_return false;
    co_return co_await race_modal(std::move(task));
}

Task<bool> Tab::race_modal(Task<> task) {
    struct Outcome {
        Result<void> result;
        bool undisturbed;
    };
    Completion<Outcome> first(session_.loop());
    Running watch = start(page_->wait_for_modal(), [first](Result<void> opened) {
        if (opened) first.set({ok(), false});
    });
    Running running =
        start(std::move(task), [first](Result<void> result) { first.set({std::move(result), true}); });
    Outcome outcome = co_await first;
    co_await std::move(outcome.result);
    co_return outcome.undisturbed;
}

Task<> Tab::before_settling(Task<> action) {
    co_await std::move(action);
    (void)deadline_in(engine::Page::kMaxSettling, "the page to settle");
    note_step("waiting for the page to settle");
}

Task<> Tab::act(Task<> action) {
    return page_->act(before_settling(std::move(action)), session_.options().settle_timeout);
}

Task<bool> Tab::perform(Task<> action) { return until_modal(act(std::move(action))); }

Task<bool> Tab::perform(Operation operation, Task<> action) {
    note_step(operation);
    return explained(perform(run_as(std::move(operation), std::move(action))),
                     [this](Error error) { return explain(std::move(error), page_->url()); });
}

Task<bool> Tab::answer_modal(Operation operation, Task<> action) {
    note_step(operation);
    return race_modal(act(run_as(std::move(operation), std::move(action))));
}

Task<bool> Tab::run(Operation operation, Task<> action) {
    note_step(operation);
    return explained(until_modal(run_as(std::move(operation), std::move(action))),
                     [this](Error error) { return explain(std::move(error), page_->url()); });
}

Result<std::string> Tab::begin_navigation(const std::string& typed) {
    std::string url = TRY(check_url(typed, session_.options().base_url));
    if (!session_.options().allow_unrestricted_file_access) {
        auto checked = check_not_local(url);
        if (!checked && session_.options().denied) session_.options().denied(url, std::string(kNoFiles));
        TRY(std::move(checked));
    }
    if (const auto& may_visit = session_.options().may_visit) TRY(may_visit(browser_url(url)));
    log_console();
    start_console_log();
    page_tools_.clear();
    return url;
}

std::optional<std::string> Tab::explain_refusal(std::string refused) const {
    const auto& why_denied = session_.options().why_denied;
    if (!why_denied) return std::nullopt;
    for (const engine::RequestEntry& request : page_->requests()) {
        if (request.is_navigation && is_refusal(request.failure)) refused = request.url;
    }
    auto rule = why_denied(refused);
    if (!rule) return std::nullopt;
    return "\"" + refused + "\" is denied by " + *rule +
           ". Ask the operator of this server to change the rule, or go elsewhere.";
}

// Replaces a network error of the browser by our rule about the address or its redirect, or by the reason
// behind the error of our proxy.
Error Tab::explain(Error error, const std::string& url) const {
    if (is_refusal(error.message)) {
        if (auto refusal = explain_refusal(browser_url(url))) {
            error.code = ErrorCode::PolicyDenied;
            error.hint = *refusal;
            return error;
        }
    }
    const auto& why_unreachable = session_.options().why_unreachable;
    if (!why_unreachable) return error;
    std::string failed = browser_url(url);
    for (const engine::RequestEntry& request : page_->requests()) {
        if (request.is_navigation && !request.failure.empty()) failed = request.url;
    }
    for (std::string_view ours : {kTunnelFailed, kNoAnswer}) {
        std::size_t at = error.message.find(ours);
        if (at == std::string::npos) continue;
        if (auto reason = why_unreachable(failed)) {
            error.message.replace(at, ours.size(), *reason);
            error.code = engine::navigation_failed(*reason, failed).code;
        }
    }
    return error;
}

Task<> Tab::open(Operation operation, Task<> navigation, std::string url) {
    auto opened = co_await as_result(run(std::move(operation), std::move(navigation)));
    if (!opened) co_await explain(opened.error(), url);
}

Task<std::string> Tab::navigate_until(std::string typed, engine::LoadState state, Operation operation) {
    std::string url = co_await worded(begin_navigation(typed), operation);
    co_await refuse_script(url, operation);
    Deadline deadline = deadline_in(operation.limit, "a navigation");
    co_await open(std::move(operation), page_->navigate_until(browser_url(url), state, deadline), url);
    co_return url;
}

Task<std::string> Tab::navigate(std::string typed) {
    Operation operation{
        .name = "page.goto",
        .limit = session_.options().navigation_timeout,
        .log = "navigating to \"" +
               engine::as_browsers_show(complete_url(typed, session_.options().base_url)) +
               "\", waiting until \"domcontentloaded\"",
    };
    std::string url = co_await worded(begin_navigation(typed), operation);
    co_await refuse_script(url, operation);
    Task<> going = page_->navigate(browser_url(url), navigation_deadline());
    co_await open(std::move(operation), act(std::move(going)), url);
    co_return url;
}

TabHeader Tab::known_header() const {
    TabHeader header{.title = last_title_, .url = page_->url(), .crashed = has_crashed()};
    if (session_.options().tab_ids) header.id = id_;
    header.read_only = is_read_only();
    if (!header.crashed) header.console = count_console(*page_);
    header.status = page_->document_status();
    header.page_tools = page_tools_.size();
    return header;
}

Task<Tab::Shown> Tab::take_header(std::optional<bool> current) {
    TabHeader header{
        .url = page_->url(), .current = current.value_or(is_current()), .crashed = has_crashed()};
    if (session_.options().tab_ids) header.id = id_;
    header.read_only = is_read_only();
    if (!header.crashed) {
        std::optional<std::string> title;
        Deadline limit = deadline_in(kTitleTimeout, "the page's title");
        auto asked = co_await as_result(until_modal(capture_into(page_->title(limit), title)));
        if (title) last_title_ = *title;
        header.title = asked ? std::move(title).value_or("") : last_title_;
        header.console = count_console(*page_);
    }
    header.status = page_->document_status();
    header.page_tools = page_tools_.size();
    bool changed = header != last_header_;
    last_header_ = header;
    co_return Shown{std::move(header), changed};
}

Task<std::string> Tab::snapshot(engine::SnapshotOptions options, std::shared_ptr<engine::Element> root,
                                Deadline deadline) {
    std::string text = co_await page_->snapshot(options, std::move(root), deadline);
    session_.note_shown_passwords(page_->take_shown_passwords());
    co_return text;
}

// Pages forget their oldest entries, so a position would not mark the last logged one.
std::size_t Tab::first_unlogged() const {
    const auto& entries = page_->console();
    if (!last_logged_) return 0;
    auto is_last = [&](const engine::ConsoleEntry& entry) {
        return entry.time == last_logged_->time && entry.text == last_logged_->text &&
               entry.line == last_logged_->line;
    };
    auto it = std::find_if(entries.rbegin(), entries.rend(), is_last);
    return static_cast<std::size_t>(entries.rend() - it);
}

void Tab::log_console() {
    const auto& entries = page_->console();
    for (std::size_t i = first_unlogged(); i < entries.size(); ++i) {
        if (reaches(entries[i], session_.options().console_level))
            console_log_->append(entries[i].time,
                                 session_.passwords()->redactor().redact(to_text(entries[i])));
        if (entries[i].text.starts_with(kFileRefused) && session_.options().denied)
            session_.options().denied(entries[i].text.substr(kFileRefused.size()), std::string(kNoFiles));
        logged_.push_back(entries[i]);
    }
    if (logged_.size() > kMaxLogged)
        logged_.erase(logged_.begin(), logged_.end() - static_cast<std::ptrdiff_t>(kMaxLogged));
    if (!entries.empty()) last_logged_ = entries.back();
}

std::vector<const engine::RequestEntry*> Tab::take_requests() {
    const auto& requests = page_->requests();
    // A navigation clears the list, and a long list drops its oldest entries: the former place of its first
    // entry is the number dropped.
    auto first = requests.empty() ? taken_requests_.end()
                                  : std::ranges::find(taken_requests_, requests.front().id, &Taken::id);
    taken_requests_.erase(taken_requests_.begin(), first);
    std::vector<const engine::RequestEntry*> ended;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (i == taken_requests_.size()) taken_requests_.push_back({requests[i].id});
        bool is_over = requests[i].finished || !requests[i].failure.empty();
        if (is_over && !std::exchange(taken_requests_[i].taken, true)) ended.push_back(&requests[i]);
    }
    return ended;
}

Task<> Tab::read_page_tools() {
    if (!session_.options().page_tools) co_return;
    auto read = co_await as_result(page_->page_tools(deadline_in(kToolsTimeout, "the page's tools")));
    if (!read) co_return;
    CheckedPageTools checked = check_page_tools(std::move(*read), session_.secrets().redactor());
    page_tools_ = std::move(checked.tools);
    // The tools are read often: warns only of changes.
    if (checked.refused != refused_page_tools_ && session_.options().warn) {
        for (const std::string& why : checked.refused) session_.options().warn(why);
    }
    refused_page_tools_ = std::move(checked.refused);
}

void Tab::note_picture(const std::filesystem::path& file, engine::Size size, bool full_page) {
    auto time = session_.options().now();
    auto is_taken = [&] {
        return std::ranges::any_of(pictures_,
                                   [&](const Picture& each) { return each.stamp == file_stamp(time); });
    };
    while (is_taken()) time += std::chrono::milliseconds(1);
    pictures_.push_back(
        {.stamp = file_stamp(time), .file = file, .taken = time, .size = size, .full_page = full_page});
    if (pictures_.size() > kMaxPictures) pictures_.erase(pictures_.begin());
    session_.notify_tab_event(*this, TabEvent::GotFile);
}

void Tab::log_error(const std::string& text) {
    console_log_->append(session_.options().now(), session_.passwords()->redactor().redact(text));
}

// The refusal when an action led to a page that a rule denies.
std::optional<std::string> Tab::take_refusal() {
    if (!engine::is_error_page(page_->url())) return std::nullopt;
    const auto& requests = page_->requests();
    auto last =
        std::find_if(requests.rbegin(), requests.rend(), [](const auto& each) { return each.is_navigation; });
    if (last == requests.rend()) return std::nullopt;
    // The browser gives no reason for the failure of a document that another one requested.
    bool is_refused = last->failure.empty() ? !last->status : is_refusal(last->failure);
    if (!is_refused) return std::nullopt;
    if (std::exchange(reported_refusal_, last->id) == last->id) return std::nullopt;
    return explain_refusal(last->url);
}

std::vector<std::string> Tab::take_events() {
    std::vector<std::string> events;
    if (auto link = console_log_->take_link(session_.options().file_paths))
        events.push_back("New console entries: " + *link);
    if (auto refusal = take_refusal()) events.push_back(std::move(*refusal));
    std::ranges::move(take_download_events(), std::back_inserter(events));
    return events;
}

std::vector<std::string> Tab::take_download_events() {
    // The files of a borrowed tab are its owner's.
    return is_read_only() ? std::vector<std::string>() : downloads_.take_events();
}

}  // namespace session
