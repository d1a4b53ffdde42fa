#include "engine/cdp/screencast.h"

#include "engine/cdp/fields.h"
#include "util/strings.h"

namespace cdp {

std::shared_ptr<void> Screencast::watch(engine::Size largest, Callback callback) {
    std::weak_ptr<Screencast> weak = weak_from_this();
    std::shared_ptr<Callback> watcher(new Callback(std::move(callback)), [weak](Callback* ended) {
        delete ended;
        if (auto self = weak.lock()) self->stop_unless_watched();
    });
    watchers_.push_back(watcher);
    if (!std::exchange(running_, true)) {
        frames_ = session_->on("Page.screencastFrame", [this](const json::object& params) { take(params); });
        session_->post("Page.startScreencast", {{"format", "jpeg"},
                                                {"quality", 90},
                                                {"maxWidth", largest.width},
                                                {"maxHeight", largest.height}});
    }
    return watcher;
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
    if (!watchers_.empty() || !std::exchange(running_, false)) return;
    frames_ = {};
    session_->post("Page.stopScreencast");
}

}  // namespace cdp
