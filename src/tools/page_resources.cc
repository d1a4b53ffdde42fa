#include "tools/page_resources.h"

#include <algorithm>

#include "tools/error_answer.h"
#include "tools/network_text.h"
#include "tools/resource_address.h"
#include "tools/screenshot_limit.h"
#include "util/strings.h"
#include "util/time_text.h"

namespace tools {
namespace {

using namespace std::chrono_literals;
using session::Session;
using session::Tab;

// Time limits: for a call that holds the turn, for a reply of the page, and for a picture or snapshot of it.
constexpr auto kTurnTimeout = 5s;
constexpr auto kPageTimeout = 2s;
constexpr auto kWorkTimeout = 5s;

Task<> ask_page(Tab& tab, json::object& facts, Deadline deadline) {
    facts["title"] = co_await tab.page().title(deadline);
    facts["viewport"] = co_await tab.page().read("viewport", "", {}, deadline);
}

Error stopped_by_dialog() {
    return Error{.code = ErrorCode::ElementNotInteractive,
                 .message = "A dialog or file chooser is open and stops the page.",
                 .hint = "It can be read again once that is answered."};
}

// Waits for the session's turn, for a short time only.
Task<session::Turn> take_turn(std::shared_ptr<Session> session) {
    auto turn = co_await as_result(
        with_deadline(session->loop(), session->take_turn(Deadline::in(kTurnTimeout + kWorkTimeout)),
                      Deadline::in(kTurnTimeout), "The turn"));
    if (!turn) {
        co_await Error{.code = ErrorCode::Timeout,
                       .message = "The session is in the middle of a call.",
                       .hint = "Read again when that is answered."};
    }
    co_return std::move(*turn);
}

bool has_tab(const Session& session, const std::shared_ptr<Tab>& tab) {
    return std::ranges::find(session.tabs(), tab) != session.tabs().end();
}

}  // namespace

std::vector<ResourceContents> as_json(std::string uri, json::object data, const session::Secrets& secrets) {
    return {{.uri = std::move(uri),
             .mime_type = "application/json",
             .text = json::pretty(secrets.redact_all(std::move(data)))}};
}

json::array list_pages(const Session& session, const std::string& session_name) {
    json::array pages;
    for (const auto& tab : session.tabs()) {
        pages.push_back(json::object{
            {"uri", to_uri({.kind = ResourceKind::Page, .session = session_name, .page = tab->id()})},
            {"pageId", tab->id()},
            {"url", tab->page().url()},
            {"current", tab->is_current()}});
    }
    return pages;
}

Task<json::object> read_page_facts(std::shared_ptr<Tab> tab) {
    auto created = std::chrono::floor<std::chrono::milliseconds>(tab->created());
    json::object facts{{"pageId", tab->id()},
                       {"url", tab->page().url()},
                       {"created", utc_text(created)},
                       {"current", tab->is_current()}};
    if (auto status = tab->page().document_status()) facts["status"] = status->status;
    auto asked = co_await as_result(tab->until_modal(ask_page(*tab, facts, Deadline::in(kPageTimeout))));
    facts["crashed"] = tab->has_crashed();
    facts["responsive"] = asked && *asked;
    co_return facts;
}

Task<json::object> read_element_facts(std::shared_ptr<Session> session, std::shared_ptr<Tab> tab,
                                      std::string ref) {
    Deadline deadline = Deadline::in(kPageTimeout);
    std::optional<engine::Located> found;
    bool undisturbed = co_await tab->until_modal(session::capture_into(
        tab->page().find(ref, session->language(), engine::Matches::One, deadline), found));
    std::optional<json::value> read;
    if (undisturbed)
        undisturbed = co_await tab->until_modal(
            session::capture_into(tab->page().read("first", ref, {}, deadline), read));
    if (!undisturbed) co_await stopped_by_dialog();
    if (!read->is_object()) {
        co_await Error{.code = ErrorCode::ElementNotFound, .message = "No element " + ref + "."};
    }
    json::object facts{{"ref", ref}, {"selector", found->javascript}};
    for (const auto& [name, value] : read->get_object()) facts[name] = value;
    co_return facts;
}

json::object read_network_log(const Tab& tab) {
    json::array entries;
    std::size_t finished = 0, failed = 0;
    for (const engine::RequestEntry& request : tab.page().requests()) {
        entries.push_back(to_json(request));
        failed += request.failure.empty() ? 0 : 1;
        finished += request.failure.empty() && request.finished ? 1 : 0;
    }
    std::size_t total = entries.size();
    return {{"url", tab.page().url()},
            {"counts", json::object{{"total", total},
                                    {"finished", finished},
                                    {"failed", failed},
                                    {"pending", total - finished - failed}}},
            {"entries", std::move(entries)}};
}

Task<ReadContents> read_snapshot(std::string uri, std::shared_ptr<Session> session,
                                 std::shared_ptr<Tab> tab) {
    session::Turn turn = co_await take_turn(session);
    if (!has_tab(*session, tab)) co_return std::nullopt;
    std::optional<std::string> snapshot;
    engine::SnapshotOptions options{.boxes = session->options().snapshot_boxes};
    bool undisturbed = co_await tab->until_modal(
        session::capture_into(tab->snapshot(options, nullptr, Deadline::in(kWorkTimeout)), snapshot));
    if (!undisturbed) co_await stopped_by_dialog();
    co_return std::vector{ResourceContents{.uri = std::move(uri),
                                           .mime_type = "application/yaml",
                                           .text = well_formed(session->secrets().redact(*snapshot))}};
}

Task<ReadContents> take_picture(std::string uri, std::shared_ptr<Session> session, std::shared_ptr<Tab> tab) {
    session::Turn turn = co_await take_turn(session);
    if (!has_tab(*session, tab)) co_return std::nullopt;
    std::optional<engine::Screenshot> taken;
    bool undisturbed = co_await tab->until_modal(
        session::capture_into(tab->page().screenshot({}, nullptr, Deadline::in(kWorkTimeout)), taken));
    if (!undisturbed) co_await stopped_by_dialog();
    co_await check_screenshot(*session, *taken);
    co_return std::vector{ResourceContents{
        .uri = std::move(uri), .mime_type = "image/png", .base64 = std::move(taken->base64)}};
}

}  // namespace tools
