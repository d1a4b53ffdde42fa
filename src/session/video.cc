#include "session/video.h"

#include <algorithm>
#include <fcntl.h>

#include "session/real_path.h"
#include "session/session.h"
#include "util/strings.h"

namespace session {
namespace {

// For a closed tab, when no caller waits for its video.
constexpr std::chrono::seconds kFinishTimeout{30};

// Opens a file in a directory that no agent chose.
Result<Descriptor> open_operators(const std::filesystem::path& file) {
    std::filesystem::path directory = TRY(real_path(file.parent_path()));
    TRY(make_directories_without_links(directory, 0777));
    return open_without_links(directory / file.filename(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

}  // namespace

std::shared_ptr<Video> Video::into(Loop& loop, std::filesystem::path directory, ChosenBy chosen,
                                   VideoFormat format) {
    auto video = std::make_shared<Video>(loop, "", format);
    video->chosen_ = chosen;
    video->directory_ = std::move(directory);
    return video;
}

Result<std::filesystem::path> Video::file_for(const Tab& tab) const {
    if (directory_.empty()) {
        std::filesystem::path file = file_;
        if (!recordings_.empty()) {
            file.replace_filename(file_.stem().string() + "-" + std::to_string(recordings_.size()) +
                                  file_.extension().string());
        }
        return file;
    }
    return directory_ / ("page@" + to_lower(tab.page().id()) + ".webm");
}

Result<void> Video::watch(Tab& tab) {
    std::string page = tab.page().id();
    auto is_same = [&](const auto& each) { return each.first == page; };
    if (std::ranges::any_of(recordings_, is_same)) return ok();
    auto recording = std::make_shared<Recording>();
    recording->file = TRY(file_for(tab));
    Descriptor output =
        TRY(chosen_ == ChosenBy::Operator ? open_operators(recording->file)
                                          : tab.session().workspace().create(recording->file));
    recording->encoder = TRY(VideoEncoder::create(loop_, std::move(output), format_));
    std::weak_ptr<Recording> weak = recording;
    recording->pictures = tab.page().watch_screen(format_.size, [weak](const engine::ScreenPicture& picture) {
        if (auto kept = weak.lock()) kept->encoder->add(picture.jpeg);
    });
    recordings_.emplace_back(std::move(page), std::move(recording));
    return ok();
}

Task<> Video::finish(std::shared_ptr<Recording> recording, Deadline deadline) {
    co_await recording->encoder->finish(deadline);
}

std::shared_ptr<SharedResult<void>> Video::finishing(const std::shared_ptr<Recording>& recording,
                                                     Deadline deadline) {
    if (recording->finished) return recording->finished;
    recording->pictures = nullptr;
    auto finished = recording->finished = std::make_shared<SharedResult<void>>(loop_);
    std::erase_if(finishing_, [](const Running& each) { return each.done(); });
    finishing_.push_back(start(finish(recording, deadline),
                               [finished](Result<void> result) { finished->set(std::move(result)); }));
    return finished;
}

void Video::end(const engine::Page& page) {
    for (const auto& [id, recording] : recordings_) {
        if (id == page.id()) finishing(recording, Deadline::in(kFinishTimeout));
    }
}

Task<std::vector<std::filesystem::path>> Video::stop(Deadline deadline) {
    std::vector<std::shared_ptr<SharedResult<void>>> all;
    std::vector<std::filesystem::path> files;
    for (const auto& [page, recording] : recordings_) {
        all.push_back(finishing(recording, deadline));
        files.push_back(recording->file);
    }
    for (const auto& finished : all)
        co_await with_deadline(loop_, finished->get(), deadline, "Finishing the video");
    co_return files;
}

}  // namespace session
