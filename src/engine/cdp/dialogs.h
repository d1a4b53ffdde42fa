// What stops a page until somebody answers: dialogs and file choosers.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/types.h"

namespace cdp {

// Keeps what is open on one page, over all its sessions. Lives on the main loop.
class Dialogs {
public:
    explicit Dialogs(Loop& loop) : loop_(loop) {}
    Dialogs(const Dialogs&) = delete;
    // Whoever still waits is told that the page is gone.
    ~Dialogs();

    // Listens on a session, and has its file choosers come to us. Page.enable is the page's to send.
    void attach(const std::shared_ptr<Session>& session);

    // Called when a dialog was answered, with what was typed into it.
    std::function<void(bool accepted, std::string text)> on_answered;

    // Oldest first.
    const std::vector<engine::Modal>& open() const { return open_; }
    // Completes when something opens that was not open at this call.
    Task<> wait_for_modal();

    // Answers the oldest dialog. It no longer counts as open, whatever the browser says.
    Task<> answer_dialog(bool accept, std::optional<std::string> text);
    // Answers the oldest file chooser. Without files it stays as it is: a cancelled chooser changes nothing.
    Task<> answer_file_chooser(std::vector<std::filesystem::path> files);

private:
    // Where to answer; beside each Modal of open_.
    struct Place {
        std::shared_ptr<Session> session;
        std::int64_t node = 0;  // of the file input
    };

    void take_dialog(const std::shared_ptr<Session>& session, const json::object& params);
    void take_chooser(const std::shared_ptr<Session>& session, const json::object& params);
    void add(engine::Modal modal, Place place);
    // The oldest of its kind; takes it out of what is open.
    std::optional<std::pair<engine::Modal, Place>> take_out(engine::Modal::Kind kind);
    void forget(const Session* session, std::optional<engine::Modal::Kind> kind);
    Task<> wait_until_after(std::uint64_t number);

    Loop& loop_;
    std::uint64_t last_number_ = 0;
    std::vector<engine::Modal> open_;
    std::vector<Place> places_;
    // Set to true when something opens, to false when nothing will any more.
    std::shared_ptr<std::list<Completion<bool>>> waiters_ = std::make_shared<std::list<Completion<bool>>>();
    std::vector<std::pair<std::shared_ptr<Session>, std::vector<Subscription>>> sources_;
};

}  // namespace cdp
