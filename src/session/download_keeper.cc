#include "session/download_keeper.h"

#include <algorithm>

namespace session {
namespace {

namespace fs = std::filesystem;
using State = engine::Download::State;

// Pages do not tell when a download ends, and files are waited for after the call that began them.
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kLongestPause{500};

// Letters, digits and dashes stay; a dash stands for each run of others.
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

bool DownloadKeeper::keep_finished() {
    bool under_way = false;
    for (const engine::Download& download : page_.downloads()) {
        under_way |= download.state == State::Started;
        if (download.state != State::Finished || kept_.contains(download.number)) continue;
        auto taken = workspace_.take_in(download.file, safe_file_name(redactor_.redact(download.suggested_name)));
        // Still where the browser has put it, when it could not be moved.
        fs::path kept = taken ? *taken : download.file;
        kept_[download.number] = kept;
        workspace_.note_download(kept);
    }
    return under_way;
}

Task<> DownloadKeeper::keep_until_ended() {
    for (auto pause = kFirstPause; keep_finished(); pause = std::min(pause * 3 / 2, kLongestPause)) {
        co_await sleep_for(loop_, pause);
    }
}

void DownloadKeeper::skip_earlier() {
    for (const engine::Download& download : page_.downloads()) {
        last_started_ = std::max(last_started_, download.number);
        kept_[download.number] = download.file;
        told_.insert(download.number);
    }
}

std::vector<std::string> DownloadKeeper::take_events() {
    if (keep_finished() && keeping_.done()) keeping_ = start(keep_until_ended());
    std::vector<std::string> events;
    for (const engine::Download& download : page_.downloads()) {
        if (download.number > last_started_) {
            last_started_ = download.number;
            events.push_back("Downloading file " + download.suggested_name + " ...");
        }
        auto kept = kept_.find(download.number);
        if (kept == kept_.end() || !told_.insert(download.number).second) continue;
        events.push_back("Downloaded file " + download.suggested_name + " to \"" +
                         workspace_.printable(kept->second) + "\"");
    }
    return events;
}

}  // namespace session
