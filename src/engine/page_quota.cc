#include "engine/page_quota.h"

#include <utility>

namespace engine {
namespace {

// The page chooses the names.
constexpr std::size_t kMaxName = 200;

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

const char* was(std::size_t count) { return count == 1 ? "was" : "were"; }

}  // namespace

PageQuota::Place PageQuota::hold(Kind kind) {
    ++count(kind).used;
    return Place(this, [self = shared_from_this(), kind](void*) { --self->count(kind).used; });
}

PageQuota::Place PageQuota::take(Kind kind) {
    const auto& limit = kind == Kind::Tab ? limits_.tabs : limits_.workers;
    if (!limit || count(kind).used < *limit) return hold(kind);
    note_refused(kind);
    return nullptr;
}

void PageQuota::note_refused(Kind kind, std::size_t refused) { count(kind).refused += refused; }

bool PageQuota::has_room_for(std::uint64_t bytes) const {
    const auto& limit = limits_.download_bytes;
    return !limit || (downloaded_ <= *limit && bytes <= *limit - downloaded_);
}

void PageQuota::note_cancelled(const std::string& download) {
    if (cancelled_++ == 0) cancelled_example_ = download.substr(0, kMaxName);
}

std::vector<std::string> PageQuota::take_refusals() {
    std::vector<std::string> lines;
    if (std::size_t refused = std::exchange(tabs_.refused, 0); refused > 0)
        lines.push_back(counted(refused, "tab") + " that pages opened " + was(refused) +
                        " closed: this session may have " + std::to_string(limits_.tabs.value_or(0)) +
                        " open (session.maxTabs).");
    if (std::size_t refused = std::exchange(workers_.refused, 0); refused > 0)
        lines.push_back(counted(refused, "worker") + " that pages started " + was(refused) +
                        " ended: this session may have " + std::to_string(limits_.workers.value_or(0)) +
                        " at once (session.maxWorkers).");
    if (std::size_t cancelled = std::exchange(cancelled_, 0); cancelled > 0)
        lines.push_back("The download of \"" + cancelled_example_ + "\"" +
                        (cancelled > 1 ? " and " + std::to_string(cancelled - 1) + " more" : "") + " " +
                        was(cancelled) + " cancelled: the files that a session downloads may have " +
                        std::to_string(limits_.download_bytes.value_or(0)) +
                        " bytes together (session.maxDownloadBytes).");
    return lines;
}

}  // namespace engine
