#include "engine/cdp/dialogs.h"

#include "engine/cdp/fields.h"

namespace cdp {

using engine::Modal;

Dialogs::~Dialogs() {
    for (const auto& waiter : *waiters_) waiter.set(false);
}

void Dialogs::attach(const std::shared_ptr<Session>& session) {
    std::erase_if(sources_, [](const auto& source) { return source.first->is_closed(); });
    auto& subscriptions = sources_.emplace_back(session, std::vector<Subscription>()).second;
    // The handlers live no longer than their session does.
    Session* line = session.get();
    subscriptions.push_back(session->on(
        "Page.javascriptDialogOpening",
        [this, line](const json::object& params) { take_dialog(line->shared_from_this(), params); }));
    subscriptions.push_back(
        session->on("Page.javascriptDialogClosed", [this, line](const json::object& params) {
            forget(line, Modal::Kind::Dialog);
            if (on_answered) on_answered(flag_of(params, "result"), text_of(params, "userInput"));
        }));
    subscriptions.push_back(session->on("Page.fileChooserOpened", [this, line](const json::object& params) {
        take_chooser(line->shared_from_this(), params);
    }));
    subscriptions.push_back(session->on_closed([this, line] { forget(line, {}); }));
    session->post("Page.setInterceptFileChooserDialog", {{"enabled", true}});
}

void Dialogs::take_dialog(const std::shared_ptr<Session>& session, const json::object& params) {
    add({.kind = Modal::Kind::Dialog,
         .dialog_type = text_of(params, "type"),
         .message = text_of(params, "message")},
        {.session = session});
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

// A plain function: what counts as new is settled now, not when the Task is awaited.
Task<> Dialogs::wait_for_modal() { return wait_until_after(last_number_); }

Task<> Dialogs::wait_until_after(std::uint64_t number) {
    if (last_number_ > number) co_return;
    // Forgets the waiter however this ends, also after us.
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
    json::object params{{"accept", accept}};
    if (text) params["promptText"] = *text;
    auto answer = co_await found->second.session->begin("Page.handleJavaScriptDialog", params);
    // Somebody else was faster: what was asked for has happened.
    if (!answer && answer.error().message.ends_with("No dialog is showing")) co_return;
    co_await std::move(answer);
}

Task<> Dialogs::answer_file_chooser(std::vector<std::filesystem::path> files) {
    auto found = take_out(Modal::Kind::FileChooser);
    if (!found) co_await Error{.code = ErrorCode::NotFound, .message = "No file chooser visible"};
    if (files.empty()) co_return;
    if (files.size() > 1 && !found->first.takes_several_files) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "Non-multiple file input can only accept single file",
                       .hint = "Open the chooser again and give one file."};
    }
    json::array paths;
    for (const auto& file : files) paths.emplace_back(file.string());
    co_await found->second.session->send(
        "DOM.setFileInputFiles", {{"files", std::move(paths)}, {"backendNodeId", found->second.node}});
}

}  // namespace cdp
