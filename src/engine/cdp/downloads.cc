#include "engine/cdp/downloads.h"

#include <algorithm>

#include "engine/cdp/fields.h"

namespace cdp {

namespace fs = std::filesystem;
using engine::Download;

namespace {

bool copied(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    return fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
}

// Deletes the rest of an incomplete download.
void discard(const fs::path& file) {
    std::error_code ignored;
    fs::remove(file, ignored);
    fs::remove(fs::path(file) += ".crdownload", ignored);
}

}  // namespace

Pending begin_download_setup(Session& browser, const std::string& context,
                             const std::filesystem::path& directory) {
    json::object params{{"behavior", directory.empty() ? "deny" : "allowAndName"}, {"eventsEnabled", true}};
    if (!directory.empty()) params["downloadPath"] = std::filesystem::absolute(directory).string();
    if (!context.empty()) params["browserContextId"] = context;
    return browser.begin("Browser.setDownloadBehavior", params);
}

Pending begin_download_events(Session& browser) {
    return browser.begin("Browser.setDownloadBehavior", {{"behavior", "default"}, {"eventsEnabled", true}});
}

Downloads::Downloads(const std::shared_ptr<Session>& browser, FindOwner find_owner)
    : browser_(browser), find_owner_(std::move(find_owner)) {
    subscriptions_.push_back(
        browser->on("Browser.downloadWillBegin", [this](const json::object& params) { take_begin(params); }));
    subscriptions_.push_back(browser->on("Browser.downloadProgress",
                                         [this](const json::object& params) { take_progress(params); }));
}

void Downloads::take_begin(const json::object& params) {
    std::string id = text_of(params, "guid");
    auto owner = find_owner_(text_of(params, "frameId"));
    // The id is used as a file name: it must not lead elsewhere.
    if (!owner || id.empty() || id.find('/') != std::string::npos) return;
    UnderWay entry{.download = {.number = ++last_number_,
                                .url = text_of(params, "url"),
                                .suggested_name = text_of(params, "suggestedFilename"),
                                .file = owner->directory / id},
                   .owner = std::move(*owner)};
    UnderWay& kept = under_way_[id] = std::move(entry);
    count(id, kept, 0, 0);
    Download download = kept.download;
    if (auto changed = kept.owner.changed) changed(download);
}

void Downloads::count(const std::string& id, UnderWay& entry, std::uint64_t received, std::uint64_t total) {
    auto& quota = entry.owner.quota;
    if (!quota || entry.cancelled) return;
    // Even an empty file takes space on the disk.
    constexpr std::uint64_t kMinBytes = 4096;
    std::uint64_t size = std::max({received, entry.counted, kMinBytes});
    bool fits = quota->has_room_for(std::max(size, total) - entry.counted);
    quota->add_download(size - entry.counted);
    entry.counted = size;
    if (fits) return;
    entry.cancelled = true;
    quota->note_cancelled(entry.download.suggested_name);
    json::object params{{"guid", id}};
    if (!entry.owner.context.empty()) params["browserContextId"] = entry.owner.context;
    if (auto browser = browser_.lock()) browser->post("Browser.cancelDownload", params);
}

void Downloads::take_progress(const json::object& params) {
    std::string state = text_of(params, "state"), id = text_of(params, "guid");
    auto known = under_way_.find(id);
    if (known == under_way_.end()) return;
    auto bytes = [&](const char* name) {
        return static_cast<std::uint64_t>(std::max(number_of(params, name), 0.0));
    };
    if (state != "canceled") count(id, known->second, bytes("receivedBytes"), bytes("totalBytes"));
    if (state != "completed" && state != "canceled") return;
    auto ended = under_way_.extract(known);
    UnderWay& entry = ended.mapped();
    if (entry.cancelled) state = "canceled";
    if (state == "canceled") discard(entry.download.file);
    if (state == "canceled" && entry.owner.quota) entry.owner.quota->remove_download(entry.counted);
    if (state == "completed" && entry.owner.copies &&
        !copied(text_of(params, "filePath"), entry.download.file))
        state = "canceled";
    entry.download.state = state == "completed"  ? Download::State::Finished
                           : entry.owner.refuses ? Download::State::Refused
                                                 : Download::State::Failed;
    if (entry.owner.changed) entry.owner.changed(entry.download);
}

void note_download(std::vector<Download>& downloads, const Download& changed) {
    auto known = std::find_if(downloads.begin(), downloads.end(),
                              [&](const Download& each) { return each.number == changed.number; });
    if (known != downloads.end()) {
        *known = changed;
    } else if (changed.state == Download::State::Started) {
        constexpr std::size_t kMax = 1000;
        auto ended = std::ranges::find_if(
            downloads, [](const Download& each) { return each.state != Download::State::Started; });
        if (downloads.size() >= kMax && ended != downloads.end()) downloads.erase(ended);
        downloads.push_back(changed);
    }
}

}  // namespace cdp
