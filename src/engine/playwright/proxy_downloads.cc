// Download events for the code of a session.
#include "engine/playwright/proxy.h"

namespace playwright {
namespace {

// The session moves the file away, so the helper needs a copy. A hard link costs nothing where possible.
bool make_copy(const std::filesystem::path& file, const std::filesystem::path& copy) {
    std::error_code error;
    std::filesystem::create_directories(copy.parent_path(), error);
    std::filesystem::remove(copy, error);
    std::filesystem::create_hard_link(file, copy, error);
    return !error || std::filesystem::copy_file(file, copy, error);
}

}  // namespace

// The browser sends download events only to the client that enabled them, which is the server, so the helper
// gets synthetic ones. A download in a tab of its own is reported for the page that opened the tab.
void Proxy::take_download(const std::string& page, const engine::Download& download,
                          const std::filesystem::path& artifacts) {
    using State = engine::Download::State;
    if (download.state == State::Started) {
        if (!line_ || !auto_attach_ || !shown_.contains(page)) return;
        // The browser's id, with which the helper can cancel the download.
        std::string name = downloads_[download.number] = download.file.filename();
        return emit("", "Browser.downloadWillBegin",
                    {{"frameId", page},
                     {"guid", name},
                     {"url", download.url},
                     {"suggestedFilename", download.suggested_name}});
    }
    auto ended = downloads_.extract(download.number);
    if (!ended) return;
    const std::string& name = ended.mapped();
    bool finished = download.state == State::Finished && make_copy(download.file, artifacts / name);
    if (finished) copies_.push_back(artifacts / name);
    emit("", "Browser.downloadProgress", {{"guid", name}, {"state", finished ? "completed" : "canceled"}});
}

}  // namespace playwright
