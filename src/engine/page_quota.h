// Resource limits shared by the pages of one session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

// Unset: no limit.
struct PageLimits {
    std::optional<std::size_t> tabs = {};
    std::optional<std::size_t> workers = {};
    std::optional<std::uint64_t> download_bytes = {};
};

// Counts the tabs, workers and downloads of a session's pages, and the refusals. A popup shares its opener's
// quota. Lives on the main loop.
class PageQuota : public std::enable_shared_from_this<PageQuota> {
public:
    enum class Kind { Tab, Worker };
    // Counts one tab or worker until dropped.
    using Place = std::shared_ptr<void>;

    explicit PageQuota(PageLimits limits) : limits_(limits) {}

    const PageLimits& limits() const { return limits_; }
    // For a tab or worker that a page starts. Returns null at the limit: then the caller must end it.
    Place take(Kind kind);
    // For a tab or worker that the agent itself opened: counted, never refused.
    Place hold(Kind kind);
    // Called when `count` of them were ended because of the limit.
    void note_refused(Kind kind, std::size_t count = 1);

    // Whether that many more bytes may be downloaded.
    bool has_room_for(std::uint64_t bytes) const;
    void add_download(std::uint64_t bytes) { downloaded_ += bytes; }
    // Call when the download's file is removed.
    void remove_download(std::uint64_t bytes) { downloaded_ -= bytes; }
    void note_cancelled(const std::string& download);

    // The refusals since the last call: a sentence for each kind, with the option's key.
    std::vector<std::string> take_refusals();

private:
    struct Count {
        std::size_t used = 0;
        std::size_t refused = 0;
    };
    Count& count(Kind kind) { return kind == Kind::Tab ? tabs_ : workers_; }

    PageLimits limits_;
    Count tabs_, workers_;
    std::uint64_t downloaded_ = 0;
    std::size_t cancelled_ = 0;      // downloads
    std::string cancelled_example_;  // the first cancelled download
};

// Implemented by pages of engines that can enforce a quota.
class QuotaHolder {
public:
    virtual ~QuotaHolder() = default;
    // Replaces the previous quota.
    virtual void set_quota(std::shared_ptr<PageQuota> quota) = 0;
};

}  // namespace engine
