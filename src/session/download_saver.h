// Saves a page's downloads to the output directory and reports them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/page.h"
#include "session/workspace.h"
#include "util/async.h"

namespace session {

// Belongs to one tab, whose page and workspace outlive it.
class DownloadSaver {
public:
    // `on_saved` is called for each file that is kept; may be empty.
    DownloadSaver(Loop& loop, const engine::Page& page, Workspace& workspace, const Redactor& redactor,
                  std::function<void()> on_saved = {})
        : loop_(loop),
          page_(page),
          workspace_(workspace),
          redactor_(redactor),
          on_saved_(std::move(on_saved)) {}

    // The events since the last call: "Downloading file x ...", "Downloaded file x to "output/x"".
    std::vector<std::string> take_events();
    // Ignores the downloads so far: they belong to another session.
    void skip_earlier();

private:
    // Gives finished files the names that the page suggested. False when all downloads have ended.
    bool save_finished();
    Task<> save_until_ended();

    Loop& loop_;
    const engine::Page& page_;
    Workspace& workspace_;
    const Redactor& redactor_;
    std::function<void()> on_saved_;
    std::uint64_t last_started_ = 0;                        // whose start was reported
    std::map<std::uint64_t, std::filesystem::path> saved_;  // by number
    std::map<std::uint64_t, std::string> missed_;           // why the user's copy failed, until reported
    std::set<std::uint64_t> reported_;
    Running saving_;
};

// The name that a page suggests, as a name within a directory: pages are not trusted with paths.
std::string safe_file_name(std::string_view suggested);

}  // namespace session
