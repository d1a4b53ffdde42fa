// A person at work in a page, as page/hooks/recorder.js sees it.
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

// Puts the script into a world of its own in every frame, and hands on what it tells in the order in which it
// was done. The world's name is ours alone: a page reaches neither the script nor its way to us. Lives on the
// main loop.
class UserWatch final : public engine::UserWatch, public std::enable_shared_from_this<UserWatch> {
public:
    struct Setup {
        std::string world;  // no two watches of a page have the same: the browser tells of a world once
        std::string main_frame;
        std::string language;  // of locators
        std::string test_id_attribute;
        // The locator of what a selector finds in a frame, from the page on.
        std::function<Task<std::string>(std::string frame, std::string selector)> locator_in;
        std::function<void(engine::UserEvent)> callback;
    };

    UserWatch(Loop& loop, Setup setup);
    ~UserWatch() override;

    // Watches the frames of a session as well.
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
        std::string script;                          // the browser's name for it, once installed
        std::map<std::int64_t, std::string> worlds;  // our contexts, and their frames
        std::vector<Subscription> subscriptions;
    };
    // An event on its way to the callback. One in a frame inside of the page wants the way there.
    struct Waiting {
        engine::UserEvent event;
        std::string frame = {};
        std::string selector = {};
    };

    void take_world(Source& source, const json::object& params) const;
    void take_call(const Source& source, const json::object& params);
    static Task<> remove(std::shared_ptr<Source> source);
    // In all of its worlds, or in the one of that frame.
    static void run(const Source& source, std::string_view expression, std::string_view frame = {});
    void add(Waiting waiting);
    Task<> tell_all();
    Task<> idle();

    Loop& loop_;
    Setup setup_;
    std::vector<std::shared_ptr<Source>> sources_;
    std::deque<Waiting> queue_;
    Running telling_;
    std::vector<Completion<bool>> idle_waiters_;
};

}  // namespace cdp
