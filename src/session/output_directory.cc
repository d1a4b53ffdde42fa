#include "session/output_directory.h"

#include <algorithm>
#include <cerrno>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "session/real_path.h"
#include "util/files.h"
#include "util/private_directory.h"

namespace session {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> homes() {
    std::vector<fs::path> all = {home_directory()};
    if (const passwd* user = ::getpwuid(::geteuid()); user && user->pw_dir) all.emplace_back(user->pw_dir);
    return all;
}

// Whether it is clients/<who>/… outside that folder's own output directory.
bool is_named_by_client(const fs::path& relative) {
    return !relative.empty() && *relative.begin() == kClientsName &&
           std::find(relative.begin(), relative.end(), fs::path(kOutputName)) == relative.end();
}

}  // namespace

bool is_too_wide(const fs::path& directory) {
    auto real = real_path(directory);
    if (!real || *real == "/") return true;
    return std::ranges::any_of(homes(), [&](const fs::path& home) {
        auto place = home.is_absolute() ? real_path(home) : Result<fs::path>(fs::path("/"));
        return place && is_inside(*real, *place);
    });
}

fs::path private_directory(const fs::path& given) {
    fs::path preferred = given.empty() ? state_directory() / "workspace" : given;
    if (ensure_private_directory(preferred)) return preferred;
    std::error_code none;
    fs::path ours = fs::temp_directory_path(none) / ("troupe-" + std::to_string(::geteuid()));
    fs::path fallback = ours / "workspace";
    return ensure_private_directory(ours) && ensure_private_directory(fallback) ? fallback : preferred;
}

bool can_be_output(const fs::path& directory) {
    struct stat status{};
    if (::lstat(directory.c_str(), &status) != 0)
        return errno == ENOENT && ::access(directory.parent_path().c_str(), W_OK) == 0;
    return !S_ISLNK(status.st_mode) && status.st_uid == ::geteuid();
}

Result<void> ensure_output_directory(const fs::path& directory, ChosenBy chosen) {
    struct stat status{};
    bool is_there = ::stat(directory.c_str(), &status) == 0;
    if (chosen == ChosenBy::Us || !is_there) return ensure_private_directory(directory);
    bool is_open = (status.st_mode & S_IWOTH) != 0;
    bool is_others = status.st_uid != ::geteuid() && ::geteuid() != 0;
    if (!S_ISDIR(status.st_mode) || is_open || is_others) {
        return Error{.code = ErrorCode::PolicyDenied,
                     .message = "Cannot use the output directory " + directory.string() + ": " +
                                (is_open ? "everybody can write to it." : "it is no directory of this user."),
                     .hint = "Choose one with --output-dir that only you can write to."};
    }
    return ok();
}

void trim_directory(const fs::path& directory, std::uint64_t limit, const std::set<fs::path>& keep) {
    struct Entry {
        fs::path path;
        std::uintmax_t size;
        fs::file_time_type written;
    };
    std::vector<Entry> entries;
    std::uintmax_t total = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code gone;
        if (!it->is_regular_file(gone) || it->is_symlink(gone)) continue;
        if (is_named_by_client(it->path().lexically_relative(directory))) continue;
        Entry entry{it->path(), it->file_size(gone), it->last_write_time(gone)};
        if (gone) continue;
        total += entry.size;
        entries.push_back(std::move(entry));
    }
    std::ranges::sort(entries, {}, &Entry::written);
    for (const Entry& entry : entries) {
        if (total <= limit) return;
        if (keep.contains(entry.path)) continue;
        if (fs::remove(entry.path, error)) total -= entry.size;
    }
}

}  // namespace session
