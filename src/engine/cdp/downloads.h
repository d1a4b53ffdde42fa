// Files that pages download.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/page_quota.h"
#include "engine/types.h"

namespace cdp {

// Makes the browser write a context's downloads into `directory`, under its own file names, and report them.
// An empty directory refuses downloads. `context` is empty for the browser's default one.
Pending begin_download_setup(Session& browser, const std::string& context,
                             const std::filesystem::path& directory);
// Makes it report downloads of the user's profile, which are written where the user wants them.
Pending begin_download_events(Session& browser);

// Tracks the downloads of one browser. Lives on the main loop.
class Downloads {
public:
    // Where a page's downloads are written, and who is notified when one begins or ends.
    struct Owner {
        std::filesystem::path directory;
        bool copies = false;                            // the user keeps the file elsewhere
        bool refuses = false;                           // the context refuses downloads
        std::string context = {};                       // the browser's id of it; empty: the default one
        std::shared_ptr<engine::PageQuota> quota = {};  // null: no limit
        std::function<void(const engine::Download&)> changed;
    };
    // Called once for each download, with the frame that began it; downloads without an owner are not
    // tracked.
    using FindOwner = std::function<std::optional<Owner>(const std::string& frame)>;

    Downloads(const std::shared_ptr<Session>& browser, FindOwner find_owner);
    Downloads(const Downloads&) = delete;

private:
    struct UnderWay {
        engine::Download download;
        Owner owner;
        std::uint64_t counted = 0;  // bytes already counted in the quota
        bool cancelled = false;     // by us
    };

    void take_begin(const json::object& params);
    void take_progress(const json::object& params);
    // Counts the bytes received and still expected. Cancels the download if the quota has no room.
    void count(const std::string& id, UnderWay& entry, std::uint64_t received, std::uint64_t total);

    std::weak_ptr<Session> browser_;
    FindOwner find_owner_;
    std::uint64_t last_number_ = 0;
    std::map<std::string, UnderWay> under_way_;  // by the browser's id
    std::vector<Subscription> subscriptions_;
};

// Updates a page's list of downloads with a change.
void note_download(std::vector<engine::Download>& downloads, const engine::Download& changed);

}  // namespace cdp
