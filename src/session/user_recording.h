// Records what a person does in a session's tabs, as repeatable steps.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/page.h"
#include "session/tab.h"

namespace session {

// Gathers steps over tabs, popups, frames and navigations. Ends when dropped. Lives on the main loop, no
// longer than its session.
class UserRecording : public std::enable_shared_from_this<UserRecording> {
public:
    // One action and its effects. A navigation is a step when no action led to it.
    struct Step {
        std::string page;  // its id
        std::string url;   // of the page, before
        engine::UserEvent event;
        std::string popup = {};                        // the id of the page that it opened
        std::optional<engine::UserEvent> dialog = {};  // how it was answered
        bool download = false;
    };
    struct Recorded {
        std::vector<Step> steps;
        std::size_t left_out = 0;  // over the limit, or not recognized
    };

    explicit UserRecording(Session& session) : session_(session) {}

    // Starts recording a tab, unless it is recorded already or only lent.
    void watch(const Tab& tab);
    // Stops recording a page that is another session's now.
    void look_away_from(const engine::Page& page) { watches_.erase(page.id()); }
    // Completes when no later action can be missed.
    Task<> ready(Deadline deadline);
    // Ends the recording. Does not wait for a page that does not answer in time.
    Task<Recorded> stop(Deadline deadline);

private:
    void take(const std::string& page, const std::string& url, engine::UserEvent event);
    void take_navigation(const std::string& page, const std::string& url, engine::UserEvent event);
    // Whether the event only continues the last step: more text, another click in the same place.
    bool continues(const std::string& page, const engine::UserEvent& event) const;
    void add(const std::string& page, const std::string& url, engine::UserEvent event);
    // Takes room for another step, or for more in the last; false when there is none.
    bool reserve(std::size_t steps, std::size_t bytes);

    Session& session_;
    std::map<std::string, std::shared_ptr<engine::UserWatch>> watches_;  // by page
    std::vector<Step> steps_;
    std::chrono::system_clock::time_point last_;  // when the last of them was taken
    std::size_t bytes_ = 0, left_out_ = 0;
};

}  // namespace session
