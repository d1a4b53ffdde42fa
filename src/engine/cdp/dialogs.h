// Modals that block a page until they are answered: dialogs and file choosers.
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

// Tracks the open modals of one page, over all its sessions. Lives on the main loop.
class Dialogs {
public:
    explicit Dialogs(Loop& loop) : loop_(loop) {}
    Dialogs(const Dialogs&) = delete;
    // Fails all waiters: the page is gone.
    ~Dialogs();

    // Listens on a session and intercepts its file choosers. The page sends Page.enable.
    void attach(const std::shared_ptr<Session>& session);

    // Called when a dialog was answered, with the text typed into it.
    std::function<void(bool accepted, std::string text)> on_answered;

    // The other pages that a dialog of this page blocks, too, because they run in the same process: it counts
    // as open there as well, and can be answered there.
    std::function<std::vector<Dialogs*>()> blocked_together;

    // Oldest first.
    const std::vector<engine::Modal>& open() const { return open_; }
    // Completes when a modal opens that was not open at this call.
    Task<> wait_for_modal();

    // Answers the oldest dialog, which no longer counts as open even if the browser fails.
    Task<> answer_dialog(bool accept, std::optional<std::string> text);
    // Answers the oldest file chooser; an empty list clears its input, unset cancels it. A chooser that
    // rejects these files stays open.
    Task<> answer_file_chooser(std::optional<std::vector<std::filesystem::path>> files);

private:
    // Where to answer; one for each Modal of open_.
    struct Place {
        std::shared_ptr<Session> session;
        std::int64_t node = 0;  // the file input
    };

    void take_dialog(const std::shared_ptr<Session>& session, const json::object& params);
    void take_chooser(const std::shared_ptr<Session>& session, const json::object& params);
    void add(engine::Modal modal, Place place);
    // Removes the oldest modal of that kind and returns it.
    std::optional<std::pair<engine::Modal, Place>> take_out(engine::Modal::Kind kind);
    void forget(const Session* session, std::optional<engine::Modal::Kind> kind);
    std::vector<Dialogs*> others() const;
    // Adds a dialog of another page, whose session is `place.session`.
    void add_of_other(const engine::Modal& modal, const Place& place);
    void forget_everywhere(const Session* session, std::optional<engine::Modal::Kind> kind);
    Task<> wait_until_after(std::uint64_t number);

    Loop& loop_;
    std::uint64_t last_number_ = 0;
    std::vector<engine::Modal> open_;
    std::vector<Place> places_;
    // Set to true when a modal opens, to false when none will open any more.
    std::shared_ptr<std::list<Completion<bool>>> waiters_ = std::make_shared<std::list<Completion<bool>>>();
    std::vector<std::pair<std::shared_ptr<Session>, std::vector<Subscription>>> sources_;
    // The sessions of other pages' dialogs, with the subscription that removes the dialog when they end.
    std::vector<std::pair<std::shared_ptr<Session>, Subscription>> others_;
};

}  // namespace cdp
