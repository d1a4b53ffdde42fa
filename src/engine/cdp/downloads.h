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
#include "engine/types.h"

namespace cdp {

// Has the browser put a context's downloads into `directory`, under names of its own, and tell of them.
// `context` is empty for the browser's default one.
Pending begin_download_setup(Session& browser, const std::string& context,
                             const std::filesystem::path& directory);
// Has it tell of the downloads of the user's profile, which go where the user wants them.
Pending begin_download_events(Session& browser);

// Follows the downloads of one browser. Lives on the main loop.
class Downloads {
public:
    // Where a page's downloads go, and who is told when one begins and when it ends.
    struct Owner {
        std::filesystem::path directory;
        bool copies = false;  // the user has the file elsewhere and keeps it
        std::function<void(const engine::Download&)> changed;
    };
    // Asked once for each download, with the frame that began it; nobody means that it is not followed.
    using FindOwner = std::function<std::optional<Owner>(const std::string& frame)>;

    Downloads(const std::shared_ptr<Session>& browser, FindOwner find_owner);
    Downloads(const Downloads&) = delete;

private:
    struct UnderWay {
        engine::Download download;
        Owner owner;
    };

    void take_begin(const json::object& params);
    void take_progress(const json::object& params);

    FindOwner find_owner_;
    std::uint64_t last_number_ = 0;
    std::map<std::string, UnderWay> under_way_;  // by the browser's name for it
    std::vector<Subscription> subscriptions_;
};

// Notes a change among the downloads of a page.
void note_download(std::vector<engine::Download>& downloads, const engine::Download& changed);

}  // namespace cdp
