// Downloads, as the code of a session sees them.
#include "engine/playwright/proxy.h"

namespace playwright {
namespace {

// The session moves the file away. A second name for it costs nothing where that is possible.
bool make_copy(const std::filesystem::path& file, const std::filesystem::path& copy) {
    std::error_code error;
    std::filesystem::create_directories(copy.parent_path(), error);
    std::filesystem::remove(copy, error);
    std::filesystem::create_hard_link(file, copy, error);
    return !error || std::filesystem::copy_file(file, copy, error);
}

}  // namespace

// The browser's own events go to whoever asked it for downloads, which is the server: these are made up for
// the helper. One in a tab of its own comes under the name of the page that opened the tab.
void Proxy::take_download(const std::string& page, const engine::Download& download,
                          const std::filesystem::path& artifacts) {
    using State = engine::Download::State;
    if (download.state == State::Started) {
        if (!line_ || !auto_attach_ || !shown_.contains(page)) return;
        // The browser's own name, by which the helper can cancel it.
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
