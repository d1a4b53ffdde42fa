#include "session/video.h"

#include <algorithm>

#include "session/session.h"

namespace session {

Result<void> Video::watch(Tab& tab) {
    std::string page = tab.page().id();
    auto is_same = [&](const auto& each) { return each.first == page; };
    if (std::ranges::any_of(recordings_, is_same)) return ok();
    auto recording = std::make_shared<Recording>();
    recording->file = file_;
    if (!recordings_.empty()) {
        recording->file.replace_filename(file_.stem().string() + "-" + std::to_string(recordings_.size()) +
                                         file_.extension().string());
    }
    std::filesystem::path place = TRY(tab.session().workspace().real(recording->file));
    recording->encoder = TRY(VideoEncoder::create(loop_, place, format_));
    std::weak_ptr<Recording> weak = recording;
    recording->pictures = tab.page().watch_screen(format_.size, [weak](const engine::ScreenPicture& picture) {
        if (auto kept = weak.lock()) kept->encoder->add(picture.jpeg);
    });
    recordings_.emplace_back(std::move(page), std::move(recording));
    return ok();
}

Task<std::vector<std::filesystem::path>> Video::stop(Deadline deadline) {
    std::vector<std::filesystem::path> files;
    for (const auto& [page, recording] : recordings_) {
        recording->pictures = nullptr;
        co_await recording->encoder->finish(deadline);
        files.push_back(recording->file);
    }
    co_return files;
}

}  // namespace session
