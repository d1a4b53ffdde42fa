// Parts that a wake-up could not restore, carried from checkpoint to checkpoint until another one can.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "util/json.h"

namespace session {

// Parts of the checkpoint that a session was restored from. They go into the following checkpoints, in the
// same form and place, so that the next wake-up tries them again. Otherwise a checkpoint would lose what it
// does not have.
class Unrestored {
public:
    bool empty() const;

    // The tab of that page does not show what it showed before.
    void add_tab(const std::string& page, json::object memory);
    // No page was opened for this tab.
    void add_unopened_tab(json::object memory);
    // The agent has done something in that page.
    void note_use(const std::string& page);
    // The page shows a document. If the agent works in it, the tab goes on from there.
    void note_document(const std::string& page);
    // Adds an origin in the form of checkpoints.
    void add_origin(json::object origin);
    // Sets cookies and the like.
    void set_context(json::object context) { context_ = std::move(context); }

    // Adds to a checkpoint what it lacks.
    json::object carry_into(json::object checkpoint) const;

private:
    json::object carry_into_context(json::object context) const;

    struct Tab {
        json::object memory;
        bool is_used = false;
    };
    std::map<std::string, Tab> tabs_;  // by page
    json::array unopened_;
    std::map<std::string, json::object> origins_;
    json::object context_;
};

}  // namespace session
