// Brings a page's downloads to the output directory and tells of them.
#pragma once

#include <cstdint>
#include <filesystem>
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
class DownloadKeeper {
public:
    DownloadKeeper(Loop& loop, const engine::Page& page, Workspace& workspace, const Redactor& redactor)
        : loop_(loop), page_(page), workspace_(workspace), redactor_(redactor) {}

    // What happened since this was last asked: "Downloading file x ...", "Downloaded file x to "output/x"".
    std::vector<std::string> take_events();
    // What has begun so far is somebody else's.
    void skip_earlier();

private:
    // Gives finished files the names that the page suggested. False when all downloads have ended.
    bool keep_finished();
    Task<> keep_until_ended();

    Loop& loop_;
    const engine::Page& page_;
    Workspace& workspace_;
    const Redactor& redactor_;
    std::uint64_t last_started_ = 0;                       // whose start was told
    std::map<std::uint64_t, std::filesystem::path> kept_;  // by number
    std::set<std::uint64_t> told_;
    Running keeping_;
};

// The name that a page suggests, as a name within a directory; pages are not to be trusted with paths.
std::string safe_file_name(std::string_view suggested);

}  // namespace session
