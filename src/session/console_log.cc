#include "session/console_log.h"

#include <algorithm>
#include <utility>

namespace session {

bool ConsoleQuota::take(std::uint64_t bytes) {
    is_full_ |= limit_ && (used_ > *limit_ || bytes > *limit_ - used_);
    if (is_full_)
        ++left_out_;
    else
        used_ += bytes;
    return !is_full_;
}

std::string ConsoleQuota::take_refusal() {
    std::uint64_t left_out = std::exchange(left_out_, 0);
    if (left_out == 0) return "";
    return std::to_string(left_out) + (left_out == 1 ? " console message is" : " console messages are") +
           " in no file: those of a session may have " + std::to_string(limit_.value_or(0)) +
           " bytes together (session.maxConsoleBytes). browser_console_messages shows the latest.";
}

void ConsoleLog::append(Time time, const std::string& text) {
    auto since = std::chrono::round<std::chrono::milliseconds>(time - started_).count();
    std::string stamp = std::to_string(since);
    if (stamp.size() < 8) stamp.insert(0, 8 - stamp.size(), ' ');
    std::string line = "[" + stamp + "ms] " + secrets_.redact(text) + "\n";
    if (mark_) line = mark_->before(line);
    if (quota_ && !quota_->take(line.size())) return;
    if (file_.empty()) {
        auto file = workspace_.output_file({.prefix = "console", .extension = "log", .time = started_});
        if (!file) return;
        file_ = std::move(*file);
        if (mark_ && workspace_.append(file_, mark_->heading())) shown_ = ++lines_;
    }
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
