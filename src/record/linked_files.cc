#include "record/linked_files.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/real_path.h"
#include "util/strings.h"

namespace record {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLinks = 16, kMaxFiles = 1000, kMaxBytes = 256UL << 20, kMaxRecent = 256UL << 10;

class File {
public:
    // `path` has no links, and the file is not opened when there is one now.
    explicit File(const fs::path& path) {
        if (auto opened = session::open_without_links(path, O_RDWR | O_NONBLOCK)) file_ = std::move(*opened);
    }
    // The size of a regular file without other names; nothing for anything else.
    std::optional<std::size_t> size() const {
        struct stat about{};
        if (file_.get() < 0 || ::fstat(file_.get(), &about) != 0) return std::nullopt;
        if (!S_ISREG(about.st_mode) || about.st_nlink != 1) return std::nullopt;
        return static_cast<std::size_t>(about.st_size);
    }
    bool has_changed_since(std::chrono::system_clock::time_point since) const {
        // File systems keep times less exactly than the clock.
        constexpr std::chrono::seconds kMargin{1};
        struct stat about{};
        if (file_.get() < 0 || ::fstat(file_.get(), &about) != 0) return false;
        return std::chrono::system_clock::from_time_t(about.st_mtim.tv_sec) >= since - kMargin;
    }
    std::string read(std::size_t from, std::size_t to) const {
        std::string bytes(to - from, '\0');
        std::size_t got = 0;
        while (got < bytes.size()) {
            ssize_t part =
                ::pread(file_.get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(from + got));
            if (part <= 0) break;
            got += static_cast<std::size_t>(part);
        }
        bytes.resize(got);
        return bytes;
    }
    // In place, because its writer may hold it open.
    void replace(std::size_t from, std::string_view bytes) const {
        if (::ftruncate(file_.get(), static_cast<off_t>(from)) != 0) return;
        for (std::size_t at = 0; at < bytes.size();) {
            ssize_t part =
                ::pwrite(file_.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(from + at));
            if (part <= 0) return;
            at += static_cast<std::size_t>(part);
        }
    }

private:
    Descriptor file_;
};

// The forms in which answers are written for an agent. Traces and the like are for programs.
bool is_for_agents(const fs::path& file) {
    constexpr std::string_view kEndings[] = {".yml", ".yaml", ".md",   ".txt",
                                             ".log", ".json", ".html", ".csv"};
    return std::ranges::find(kEndings, to_lower(file.extension().string())) != std::end(kEndings);
}

std::size_t lines_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// The explanation shares the first line: the other server counts a log's lines.
std::string marked_lines(const UntrustedMark& mark, std::string_view text, bool is_start) {
    std::string heading = mark.heading();
    heading.back() = ' ';
    return (is_start ? heading : "") + mark.before(text);
}

}  // namespace

std::vector<std::string> LinkedFiles::names_in(std::string_view text) {
    std::vector<std::string> names;
    constexpr std::string_view kLink = "](";
    std::size_t at = text.find(kLink);
    for (; at != text.npos && names.size() < kMaxLinks; at = text.find(kLink, at)) {
        at += kLink.size();
        std::size_t end = text.find_first_of(")\n", at);
        if (end == text.npos) break;
        std::string name(text.substr(at, end - at));
        if (text[end] == ')' && !name.empty() && !name.contains("://")) names.push_back(std::move(name));
    }
    return names;
}

std::optional<LinkedFiles::Job> LinkedFiles::job(const fs::path& directory, const std::string& name,
                                                 NamedBy named_by,
                                                 std::chrono::system_clock::time_point since) const {
    auto base = session::real_path(directory), file = session::real_path(directory / name);
    if (!base || !file || !is_for_agents(*file)) return std::nullopt;
    bool is_agents = named_by == NamedBy::Agent;
    if (is_agents && !session::is_inside(*base, *file)) return std::nullopt;
    bool is_log = !is_agents && file->extension() == ".log";
    auto known = left_.find(*file);
    return Job{.file = *file,
               .since = is_agents ? std::optional(since) : std::nullopt,
               .form = is_log ? Form::Lines : Form::Whole,
               .marks = marks_,
               .left = known == left_.end() ? Left() : known->second};
}

std::optional<LinkedFiles::Cleaned> LinkedFiles::clean(const Job& job, const Redactor& secrets,
                                                       const Redactor& passwords) {
    File file(job.file);
    if (job.since && !file.has_changed_since(*job.since)) return std::nullopt;
    auto size = file.size();
    if (!size || *size > kMaxBytes) return std::nullopt;
    Left left = job.left;
    bool is_marked = job.marks == Marks::Yes;
    bool is_whole = job.form == Form::Whole;
    // Linked a second time.
    if (is_whole && is_marked && left.bytes == *size) return std::nullopt;
    if (is_whole || left.bytes > *size) left = {};
    std::string raw = file.read(left.bytes, *size);
    if (raw.contains('\0') || well_formed(raw) != raw) return std::nullopt;

    std::string text = passwords.redact(secrets.redact(raw)), written = text;
    if (is_marked && !text.empty()) {
        if (!left.mark) left.mark.emplace();
        written = is_whole ? left.mark->around(text) : marked_lines(*left.mark, text, left.bytes == 0);
    }
    Cleaned cleaned{.lines_before = left.lines - lines_of(left.recent)};
    // What was appended meanwhile would be lost: the next answer cleans it.
    bool is_complete = written == raw || file.size() == size;
    if (written != raw && is_complete) file.replace(left.bytes, written);
    cleaned.text = left.recent + text;
    if (is_complete) {
        left.bytes += written.size();
        left.lines += lines_of(text);
        left.recent = is_whole || text.size() > kMaxRecent ? "" : text;
        cleaned.left = std::move(left);
    } else {
        cleaned.left = job.left;
    }
    return cleaned;
}

void LinkedFiles::keep(const fs::path& file, Left left) {
    if (left_.size() >= kMaxFiles && !left_.contains(file)) left_.clear();
    left_.insert_or_assign(file, std::move(left));
}

}  // namespace record
