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

}  // namespace

Pending begin_download_setup(Session& browser, const std::string& context,
                             const std::filesystem::path& directory) {
    json::object params{{"behavior", "allowAndName"},
                        {"downloadPath", std::filesystem::absolute(directory).string()},
                        {"eventsEnabled", true}};
    if (!context.empty()) params["browserContextId"] = context;
    return browser.begin("Browser.setDownloadBehavior", params);
}

Pending begin_download_events(Session& browser) {
    return browser.begin("Browser.setDownloadBehavior", {{"behavior", "default"}, {"eventsEnabled", true}});
}

Downloads::Downloads(const std::shared_ptr<Session>& browser, FindOwner find_owner)
    : find_owner_(std::move(find_owner)) {
    subscriptions_.push_back(
        browser->on("Browser.downloadWillBegin", [this](const json::object& params) { take_begin(params); }));
    subscriptions_.push_back(browser->on("Browser.downloadProgress",
                                         [this](const json::object& params) { take_progress(params); }));
}

void Downloads::take_begin(const json::object& params) {
    std::string id = text_of(params, "guid");
    auto owner = find_owner_(text_of(params, "frameId"));
    // The id names a file: it must not lead elsewhere.
    if (!owner || id.empty() || id.find('/') != std::string::npos) return;
    UnderWay entry{.download = {.number = ++last_number_,
                                .url = text_of(params, "url"),
                                .suggested_name = text_of(params, "suggestedFilename"),
                                .file = owner->directory / id},
                   .owner = std::move(*owner)};
    under_way_[id] = entry;
    if (entry.owner.changed) entry.owner.changed(entry.download);
}

void Downloads::take_progress(const json::object& params) {
    std::string state = text_of(params, "state");
    if (state != "completed" && state != "canceled") return;
    auto ended = under_way_.extract(text_of(params, "guid"));
    if (!ended) return;
    UnderWay& entry = ended.mapped();
    if (entry.owner.copies && !copied(text_of(params, "filePath"), entry.download.file)) state = "canceled";
    entry.download.state = state == "completed" ? Download::State::Finished : Download::State::Failed;
    if (entry.owner.changed) entry.owner.changed(entry.download);
}

void note_download(std::vector<Download>& downloads, const Download& changed) {
    auto known = std::find_if(downloads.begin(), downloads.end(),
                              [&](const Download& each) { return each.number == changed.number; });
    if (known != downloads.end()) {
        *known = changed;
    } else if (changed.state == Download::State::Started) {
        downloads.push_back(changed);
    }
}

}  // namespace cdp
