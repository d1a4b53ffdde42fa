// Watches a person's actions in a page through page/hooks/recorder.js.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/page.h"
#include "util/shared_result.h"

namespace cdp {

// Installs the script in a world of its own in every frame, and reports its events in the order in which they
// happened. Only we know the world's name: a page can reach neither the script nor its channel to us. Lives
// on the main loop.
class UserWatch final : public engine::UserWatch, public std::enable_shared_from_this<UserWatch> {
public:
    struct Setup {
        std::string world;  // unique per watch of a page: the browser reports a world only once
        std::string main_frame;
        std::string language;  // of locators
        std::string test_id_attribute;
        // The full locator of the element that a selector finds in a frame.
        std::function<Task<std::string>(std::string frame, std::string selector)> locator_in;
        std::function<void(engine::UserEvent)> callback;
    };

    UserWatch(Loop& loop, Setup setup);
    ~UserWatch() override;

    // Also watches the frames of this session.
    void attach(const std::shared_ptr<Session>& session);

    Task<> ready(Deadline deadline) override;
    void insert(engine::UserEvent event) override { add({.event = std::move(event)}); }
    Task<> finish(Deadline deadline) override;

private:
    // One session with our script in its documents.
    struct Source {
        explicit Source(std::shared_ptr<Session> line)
            : session(std::move(line)), installed(session->loop()) {}

        std::shared_ptr<Session> session;
        SharedResult<void> installed;
        std::string script;                          // the browser's id of the installed script
        std::map<std::int64_t, std::string> worlds;  // our context ids, and their frames
        std::vector<Subscription> subscriptions;
    };
    // An event queued for the callback. Inside a child frame, it needs the path to the frame first.
    struct Waiting {
        engine::UserEvent event;
        std::string frame = {};
        std::string selector = {};
    };

    void take_world(Source& source, const json::object& params) const;
    void take_call(const Source& source, const json::object& params);
    static Task<> remove(std::shared_ptr<Source> source);
    // Runs in all worlds of the source, or in the one of that frame.
    static void run(const Source& source, std::string_view expression, std::string_view frame = {});
    void add(Waiting waiting);
    Task<> notify_all();
    Task<> idle();

    Loop& loop_;
    Setup setup_;
    std::vector<std::shared_ptr<Source>> sources_;
    std::deque<Waiting> queue_;
    Running notifying_;
    std::vector<Completion<bool>> idle_waiters_;
};

}  // namespace cdp
