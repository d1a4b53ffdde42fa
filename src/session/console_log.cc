#include "session/console_log.h"

#include <algorithm>

namespace session {

void ConsoleLog::append(Time time, const std::string& text) {
    if (file_.empty()) {
        auto file = workspace_.output_file({.prefix = "console", .extension = "log", .time = started_});
        if (!file) return;
        file_ = std::move(*file);
        if (mark_ && workspace_.append(file_, mark_->heading())) shown_ = ++lines_;
    }
    auto since = std::chrono::round<std::chrono::milliseconds>(time - started_).count();
    std::string stamp = std::to_string(since);
    if (stamp.size() < 8) stamp.insert(0, 8 - stamp.size(), ' ');
    std::string line = "[" + stamp + "ms] " + secrets_.redact(text) + "\n";
    if (mark_) line = mark_->before(line);
    if (!workspace_.append(file_, line)) return;
    lines_ += static_cast<std::size_t>(std::count(line.begin(), line.end(), '\n'));
}

std::optional<std::string> ConsoleLog::take_link(FilePaths paths) {
    if (lines_ == shown_) return std::nullopt;
    std::string link = paths == FilePaths::Absolute ? file_.string() : workspace_.relative(file_);
    link += "#L" + std::to_string(shown_ + 1);
    if (lines_ > shown_ + 1) link += "-L" + std::to_string(lines_);
    shown_ = lines_;
    return link;
}

}  // namespace session
