#include "engine/cdp/screencast.h"

#include "engine/cdp/fields.h"
#include "util/strings.h"

namespace cdp {

std::shared_ptr<void> Screencast::watch(engine::Size max_size, Callback callback) {
    auto watcher = add(std::move(callback));
    if (std::exchange(state_, State::Watched) != State::Watched) begin(max_size);
    return watcher;
}

std::shared_ptr<void> Screencast::keep_drawing() {
    auto watcher = add([](const engine::ScreenPicture&) {});
    if (state_ != State::Stopped) return watcher;
    state_ = State::Drawing;
    begin({1, 1});
    return watcher;
}

std::shared_ptr<void> Screencast::add(Callback callback) {
    std::weak_ptr<Screencast> weak = weak_from_this();
    std::shared_ptr<Callback> watcher(new Callback(std::move(callback)), [weak](Callback* ended) {
        delete ended;
        if (auto self = weak.lock()) self->stop_unless_watched();
    });
    watchers_.push_back(watcher);
    return watcher;
}

void Screencast::begin(engine::Size max_size) {
    frames_ = session_->on("Page.screencastFrame", [this](const json::object& params) { take(params); });
    session_->post(
        "Page.startScreencast",
        {{"format", "jpeg"}, {"quality", 90}, {"maxWidth", max_size.width}, {"maxHeight", max_size.height}});
}

void Screencast::take(const json::object& params) {
    auto self = shared_from_this();
    session_->post("Page.screencastFrameAck", {{"sessionId", integer_of(params, "sessionId")}});
    auto bytes = base64_decode(text_of(params, "data"));
    if (!bytes) return;
    engine::ScreenPicture picture{.jpeg = std::move(*bytes)};
    if (const json::object* metadata = json::find_object(params, "metadata"))
        picture.size = {integer_of(*metadata, "deviceWidth"), integer_of(*metadata, "deviceHeight")};
    for (const auto& each : std::vector(watchers_)) {
        if (auto watcher = each.lock()) (*watcher)(picture);
    }
}

void Screencast::stop_unless_watched() {
    std::erase_if(watchers_, [](const auto& each) { return each.expired(); });
    if (!watchers_.empty() || std::exchange(state_, State::Stopped) == State::Stopped) return;
    frames_ = {};
    session_->post("Page.stopScreencast");
}

}  // namespace cdp
