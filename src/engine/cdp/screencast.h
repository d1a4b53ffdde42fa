// Pictures of a page as it changes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/types.h"

namespace cdp {

// Runs while it has watchers. Lives on the main loop.
class Screencast : public std::enable_shared_from_this<Screencast> {
public:
    using Callback = std::function<void(const engine::ScreenPicture&)>;

    explicit Screencast(std::shared_ptr<Session> session) : session_(std::move(session)) {}

    // Calls back with each picture until the handle is dropped. The first watcher sets the max size.
    std::shared_ptr<void> watch(engine::Size max_size, Callback callback);
    // Makes the browser draw the page until the handle is dropped, even in the background.
    std::shared_ptr<void> keep_drawing();

private:
    std::shared_ptr<void> add(Callback callback);
    void begin(engine::Size max_size);
    void take(const json::object& params);
    void stop_unless_watched();

    std::shared_ptr<Session> session_;
    std::vector<std::weak_ptr<Callback>> watchers_;
    enum class State { Stopped, Drawing, Watched };
    State state_ = State::Stopped;
    Subscription frames_;
};

}  // namespace cdp
