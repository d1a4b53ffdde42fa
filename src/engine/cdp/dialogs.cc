#include "engine/cdp/dialogs.h"

#include <algorithm>

#include "engine/cdp/fields.h"
#include "engine/cdp/file_input.h"
#include "engine/cdp/refusal.h"
#include "util/shorten.h"

namespace cdp {

using engine::Modal;

namespace {

constexpr std::size_t kMaxOpen = 100;
// Every answer shows the message until the dialog is answered.
constexpr std::size_t kMaxMessage = 64UL << 10;

}  // namespace

Dialogs::~Dialogs() {
    for (const auto& waiter : *waiters_) waiter.set(false);
}

void Dialogs::attach(const std::shared_ptr<Session>& session) {
    std::erase_if(sources_, [](const auto& source) { return source.first->is_closed(); });
    auto& subscriptions = sources_.emplace_back(session, std::vector<Subscription>()).second;
    // The handlers live no longer than their session.
    Session* line = session.get();
    subscriptions.push_back(session->on(
        "Page.javascriptDialogOpening",
        [this, line](const json::object& params) { take_dialog(line->shared_from_this(), params); }));
    subscriptions.push_back(
        session->on("Page.javascriptDialogClosed", [this, line](const json::object& params) {
            forget_everywhere(line, Modal::Kind::Dialog);
            if (on_answered) on_answered(flag_of(params, "result"), text_of(params, "userInput"));
        }));
    subscriptions.push_back(session->on("Page.fileChooserOpened", [this, line](const json::object& params) {
        take_chooser(line->shared_from_this(), params);
    }));
    subscriptions.push_back(session->on_closed([this, line] { forget_everywhere(line, {}); }));
    session->post("Page.setInterceptFileChooserDialog", {{"enabled", true}});
}

void Dialogs::take_dialog(const std::shared_ptr<Session>& session, const json::object& params) {
    Modal modal{.kind = Modal::Kind::Dialog,
                .dialog_type = text_of(params, "type"),
                .message = shortened(text_of(params, "message"), kMaxMessage)};
    for (Dialogs* other : others()) other->add_of_other(modal, {.session = session});
    add(std::move(modal), {.session = session});
}

std::vector<Dialogs*> Dialogs::others() const {
    return blocked_together ? blocked_together() : std::vector<Dialogs*>();
}

void Dialogs::add_of_other(const Modal& modal, const Place& place) {
    std::erase_if(others_, [](const auto& other) { return other.first->is_closed(); });
    const Session* line = place.session.get();
    if (std::ranges::find(others_, place.session,
                          &std::pair<std::shared_ptr<Session>, Subscription>::first) == others_.end())
        others_.emplace_back(place.session, place.session->on_closed([this, line] { forget(line, {}); }));
    add(modal, place);
}

void Dialogs::forget_everywhere(const Session* session, std::optional<Modal::Kind> kind) {
    forget(session, kind);
    for (Dialogs* other : others()) other->forget(session, kind);
}

void Dialogs::take_chooser(const std::shared_ptr<Session>& session, const json::object& params) {
    auto node = json::find_integer(params, "backendNodeId");
    // A picker without an input element cannot be answered.
    if (!node) return;
    add({.kind = Modal::Kind::FileChooser,
         .takes_several_files = text_of(params, "mode") == "selectMultiple"},
        {.session = session, .node = *node});
}

void Dialogs::add(Modal modal, Place place) {
    // Limits unanswered choosers; a page has only one dialog at a time.
    if (open_.size() >= kMaxOpen) return;
    modal.number = ++last_number_;
    open_.push_back(std::move(modal));
    places_.push_back(std::move(place));
    for (const auto& waiter : *waiters_) waiter.set(true);
}

void Dialogs::forget(const Session* session, std::optional<Modal::Kind> kind) {
    for (std::size_t i = open_.size(); i-- > 0;) {
        if (places_[i].session.get() != session || (kind && open_[i].kind != *kind)) continue;
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
        places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

std::optional<std::pair<Modal, Dialogs::Place>> Dialogs::take_out(Modal::Kind kind) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
        if (open_[i].kind != kind) continue;
        std::pair found(std::move(open_[i]), std::move(places_[i]));
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
        places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(i));
        return found;
    }
    return {};
}

// Not a coroutine: only modals after this call count as new, not after the Task is awaited.
Task<> Dialogs::wait_for_modal() { return wait_until_after(last_number_); }

Task<> Dialogs::wait_until_after(std::uint64_t number) {
    if (last_number_ > number) co_return;
    // Removes the waiter however this ends, even after this object is gone.
    struct Waiter {
        std::shared_ptr<std::list<Completion<bool>>> list;
        std::list<Completion<bool>>::iterator place;
        ~Waiter() { list->erase(place); }
    } waiter{waiters_, waiters_->emplace(waiters_->end(), loop_)};
    bool has_opened = co_await *waiter.place;
    if (!has_opened)
        co_await Error{.code = ErrorCode::BrowserCrashed,
                       .message = "Target page, context or browser has been closed"};
}

Task<> Dialogs::answer_dialog(bool accept, std::optional<std::string> text) {
    auto found = take_out(Modal::Kind::Dialog);
    if (!found) co_await Error{.code = ErrorCode::NotFound, .message = "No dialog visible"};
    forget_everywhere(found->second.session.get(), Modal::Kind::Dialog);
    json::object params{{"accept", accept}};
    if (text) params["promptText"] = *text;
    auto answer = co_await found->second.session->begin("Page.handleJavaScriptDialog", params);
    // The dialog was already answered elsewhere, so the request is fulfilled.
    if (!answer && answer.error().message.ends_with("No dialog is showing")) co_return;
    co_await std::move(answer);
}

Task<> Dialogs::answer_file_chooser(std::optional<std::vector<std::filesystem::path>> files) {
    auto chooser = std::ranges::find(open_, Modal::Kind::FileChooser, &Modal::kind);
    if (chooser == open_.end())
        co_await Error{.code = ErrorCode::NotFound, .message = "No file chooser visible"};
    std::uint64_t number = chooser->number;
    Place place = places_[static_cast<std::size_t>(chooser - open_.begin())];
    if (files)
        co_await refusable(put_files(place.session, {{"backendNodeId", place.node}}, std::move(*files)));
    // The chooser may be gone with its page meanwhile.
    auto answered = std::ranges::find(open_, number, &Modal::number);
    if (answered == open_.end()) co_return;
    places_.erase(places_.begin() + (answered - open_.begin()));
    open_.erase(answered);
}

}  // namespace cdp
