// Pictures of a page as it changes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/types.h"

namespace cdp {

// Runs while somebody watches. Lives on the main loop.
class Screencast : public std::enable_shared_from_this<Screencast> {
public:
    using Callback = std::function<void(const engine::ScreenPicture&)>;

    explicit Screencast(std::shared_ptr<Session> session) : session_(std::move(session)) {}

    // Told of each picture until the handle is dropped. The first watcher says how large they are at most.
    std::shared_ptr<void> watch(engine::Size largest, Callback callback);
    // Makes the browser draw the page until the handle is dropped, also when it is in the background.
    std::shared_ptr<void> keep_drawing();

private:
    std::shared_ptr<void> add(Callback callback);
    void begin(engine::Size largest);
    void take(const json::object& params);
    void stop_unless_watched();

    std::shared_ptr<Session> session_;
    std::vector<std::weak_ptr<Callback>> watchers_;
    enum class State { Stopped, Drawing, Watched };
    State state_ = State::Stopped;
    Subscription frames_;
};

}  // namespace cdp
