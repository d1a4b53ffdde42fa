#include "session/tab.h"

#include <algorithm>

#include "session/page_tool_check.h"
#include "session/session.h"
#include "session/urls.h"

namespace session {
namespace {

// A page that does not answer keeps its last title rather than the call.
constexpr std::chrono::milliseconds kTitleTimeout{500};
// A page that does not say what it offers keeps a call no longer than this.
constexpr std::chrono::seconds kToolsTimeout{2};
constexpr std::size_t kMostPictures = 50;
constexpr std::size_t kMostLogged = 1'000;  // messages that nobody has asked for yet
constexpr std::string_view kNoFiles = "the rule that files are not visited";
// How the browser itself refuses a page that leads to a file.
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

Deadline within(Deadline call, std::chrono::milliseconds limit) {
    return limit.count() > 0 ? call.earlier(Deadline::in(limit)) : call;
}

}  // namespace

Tab::Tab(Session& session, std::shared_ptr<engine::Page> page)
    : session_(session),
      page_(std::move(page)),
      id_(page_->id()),
      created_(session.options().now()),
      last_header_{.title = "about:blank", .url = "about:blank"},
      downloads_(session.loop(), *page_, session.workspace(), session.secrets().redactor()),
      init_(session.loop()) {
    start_console_log();
    watching_ = page_->watch_document([this](engine::DocumentEvent event) {
        if (event == engine::DocumentEvent::Crashed) return session_.take_crash(*this);
        bool loaded = event == engine::DocumentEvent::Loaded;
        session_.tell_of(*this, loaded ? TabEvent::Loaded : TabEvent::Navigated);
    });
}

void Tab::come_from_elsewhere(std::string id, TabAccess access) {
    id_ = std::move(id);
    access_ = access;
    downloads_.skip_earlier();
    if (!page_->console().empty()) last_logged_ = page_->console().back();
}

void Tab::start_console_log() {
    console_log_ = std::make_unique<ConsoleLog>(session_.workspace(), session_.secrets(),
                                                session_.options().now(), session_.options().mark_untrusted);
}

bool Tab::is_current() const { return session_.current_tab().get() == this; }

Deadline Tab::wait_until(const std::string& what, Deadline limit) const {
    if (CallProgress* progress = call_deadline_ ? progress_.get() : session_.progress())
        progress->wait(what, limit);
    return limit;
}

Deadline Tab::call_deadline() const { return call_deadline_.value_or(session_.call_deadline()); }
Deadline Tab::deadline() const { return wait_until("its tool", call_deadline()); }
Deadline Tab::deadline_in(std::chrono::milliseconds span, const std::string& what) const {
    return wait_until(what, within(call_deadline(), span));
}
Deadline Tab::action_deadline() const { return deadline_in(session_.options().action_timeout, "an action"); }
Deadline Tab::navigation_deadline() const {
    return deadline_in(session_.options().navigation_timeout, "a navigation");
}

Operation Tab::action(std::string_view name) const {
    return {.name = name, .limit = session_.options().action_timeout};
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
}

Task<> Tab::act(Task<> action) {
    return page_->act(before_settling(std::move(action)), session_.options().settle_timeout);
}

Task<bool> Tab::perform(Task<> action) { return until_modal(act(std::move(action))); }

Task<bool> Tab::perform(Operation operation, Task<> action) {
    return perform(run_as(std::move(operation), std::move(action)));
}

Task<bool> Tab::answer_modal(Operation operation, Task<> action) {
    return race_modal(act(run_as(std::move(operation), std::move(action))));
}

Task<bool> Tab::run(Operation operation, Task<> action) {
    return until_modal(run_as(std::move(operation), std::move(action)));
}

Result<std::string> Tab::begin_navigation(const std::string& typed) {
    std::string url = complete_url(typed);
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

// What the browser calls an error of the network was a rule of ours, about where it was led to.
Error Tab::explain(Error error, const std::string& url) const {
    auto is_refusal = [](std::string_view text) {
        return text.contains("net::ERR_BLOCKED_BY_CLIENT") ||
               text.contains("net::ERR_TUNNEL_CONNECTION_FAILED");
    };
    const auto& why_denied = session_.options().why_denied;
    if (!why_denied || !is_refusal(error.message)) return error;
    std::string refused = browser_url(url);
    for (const engine::RequestEntry& request : page_->requests()) {
        if (request.is_navigation && is_refusal(request.failure)) refused = request.url;
    }
    auto rule = why_denied(refused);
    if (!rule) return error;
    error.code = ErrorCode::PolicyDenied;
    error.hint = "\"" + refused + "\" is denied by " + *rule + ".";
    return error;
}

Task<> Tab::open(Operation operation, Task<> navigation, std::string url) {
    auto opened = co_await as_result(run(std::move(operation), std::move(navigation)));
    if (!opened) co_await explain(opened.error(), url);
}

Task<std::string> Tab::navigate_until(std::string typed, engine::LoadState state, Operation operation) {
    std::string url = co_await begin_navigation(typed);
    Deadline deadline = deadline_in(operation.limit, "a navigation");
    co_await open(std::move(operation), page_->navigate_until(browser_url(url), state, deadline), url);
    co_return url;
}

Task<std::string> Tab::navigate(std::string typed) {
    std::string url = co_await begin_navigation(typed);
    Operation operation{
        .name = "page.goto",
        .limit = session_.options().navigation_timeout,
        .log = "navigating to \"" + url + "\", waiting until \"domcontentloaded\"",
    };
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
        auto asked = co_await as_result(until_modal(store(page_->title(limit), title)));
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

// Pages forget their oldest entries, so a position would not do to remember where we are.
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
            console_log_->append(entries[i].time, to_text(entries[i]));
        if (entries[i].text.starts_with(kFileRefused) && session_.options().denied)
            session_.options().denied(entries[i].text.substr(kFileRefused.size()), std::string(kNoFiles));
        logged_.push_back(entries[i]);
    }
    if (logged_.size() > kMostLogged)
        logged_.erase(logged_.begin(), logged_.end() - static_cast<std::ptrdiff_t>(kMostLogged));
    if (!entries.empty()) last_logged_ = entries.back();
}

std::vector<const engine::RequestEntry*> Tab::take_requests() {
    const auto& requests = page_->requests();
    // The list begins anew with a navigation, and forgets its oldest when it is long: then where the first of
    // it was tells how many went.
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
    CheckedPageTools checked = check_page_tools(std::move(*read));
    page_tools_ = std::move(checked.tools);
    // They are read again and again.
    if (checked.refused != refused_page_tools_ && session_.options().warn) {
        for (const std::string& why : checked.refused) session_.options().warn(why);
    }
    refused_page_tools_ = std::move(checked.refused);
}

void Tab::note_picture(const std::filesystem::path& file) {
    auto time = session_.options().now();
    auto is_taken = [&] {
        return std::ranges::any_of(pictures_,
                                   [&](const Picture& each) { return each.stamp == file_stamp(time); });
    };
    while (is_taken()) time += std::chrono::milliseconds(1);
    pictures_.push_back({file_stamp(time), file});
    if (pictures_.size() > kMostPictures) pictures_.erase(pictures_.begin());
}

void Tab::log_error(const std::string& text) { console_log_->append(session_.options().now(), text); }

std::vector<std::string> Tab::take_events() {
    std::vector<std::string> events;
    if (auto link = console_log_->take_link(session_.options().file_paths))
        events.push_back("New console entries: " + *link);
    // Files of a borrowed tab are its owner's.
    if (is_read_only()) return events;
    std::vector<std::string> downloads = downloads_.take_events();
    std::move(downloads.begin(), downloads.end(), std::back_inserter(events));
    return events;
}

}  // namespace session
