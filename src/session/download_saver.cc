#include "session/download_saver.h"

#include <algorithm>

namespace session {
namespace {

namespace fs = std::filesystem;
using State = engine::Download::State;

// Pages do not report the end of a download, and files are awaited longer than the call that began them.
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kMaxPause{500};

// Keeps letters, digits and dashes; a dash replaces each run of others.
std::string with_dashes(std::string_view text) {
    std::string safe;
    bool in_run = false;
    for (char c : text) {
        bool kept = static_cast<unsigned char>(c) >= 0x80 || c == '-' || (c >= '0' && c <= '9') ||
                    (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (kept)
            safe += c;
        else if (!in_run)
            safe += '-';
        in_run = !kept;
    }
    return safe;
}

}  // namespace

std::string safe_file_name(std::string_view suggested) {
    std::size_t dot = suggested.rfind('.');
    if (dot == std::string_view::npos) return suggested.empty() ? "download" : with_dashes(suggested);
    return with_dashes(suggested.substr(0, dot)) + "." + with_dashes(suggested.substr(dot + 1));
}

bool DownloadSaver::save_finished() {
    bool under_way = false;
    for (const engine::Download& download : page_.downloads()) {
        under_way |= download.state == State::Started;
        if (download.state != State::Finished || saved_.contains(download.number)) continue;
        auto taken =
            workspace_.take_in(download.file, safe_file_name(redactor_.redact(download.suggested_name)));
        // A file that could not be moved stays where the browser put it.
        fs::path saved = taken ? *taken : download.file;
        saved_[download.number] = saved;
        auto given = workspace_.give_to_user(saved);
        if (!given) missed_[download.number] = given.error().message;
        workspace_.note_download(saved);
        if (on_saved_) on_saved_();
    }
    // The page forgets its oldest downloads, too.
    constexpr std::size_t kMany = 2000;
    if (saved_.size() >= kMany) {
        auto is_gone = [this](std::uint64_t number) {
            return std::ranges::find(page_.downloads(), number, &engine::Download::number) ==
                   page_.downloads().end();
        };
        std::erase_if(saved_, [&](const auto& each) { return is_gone(each.first); });
        std::erase_if(reported_, is_gone);
    }
    return under_way;
}

Task<> DownloadSaver::save_until_ended() {
    for (auto pause = kFirstPause; save_finished(); pause = std::min(pause * 3 / 2, kMaxPause)) {
        co_await sleep_for(loop_, pause);
    }
}

void DownloadSaver::skip_earlier() {
    for (const engine::Download& download : page_.downloads()) {
        last_started_ = std::max(last_started_, download.number);
        saved_[download.number] = download.file;
        reported_.insert(download.number);
    }
}

std::vector<std::string> DownloadSaver::take_events() {
    if (save_finished() && saving_.done()) saving_ = start(save_until_ended());
    std::vector<std::string> events;
    for (const engine::Download& download : page_.downloads()) {
        if (download.number > last_started_) {
            last_started_ = download.number;
            events.push_back("Downloading file " + download.suggested_name + " ...");
        }
        if (download.state == State::Refused && reported_.insert(download.number).second)
            events.push_back("Refused file " + download.suggested_name +
                             ": browser.contextOptions.acceptDownloads is false");
        auto saved = saved_.find(download.number);
        if (saved == saved_.end() || !reported_.insert(download.number).second) continue;
        events.push_back("Downloaded file " + download.suggested_name + " to \"" +
                         workspace_.printable(saved->second) + "\"");
        if (auto missed = missed_.extract(download.number)) events.push_back(missed.mapped());
    }
    return events;
}

}  // namespace session
