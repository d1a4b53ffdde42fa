#include "policy/audit_log.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/spawn.h"
#include "util/strings.h"
#include "util/time_text.h"

namespace policy {
namespace {

// Maximum entries per second, for one session and for all.
constexpr std::size_t kMaxOfSession = 200;
constexpr std::size_t kMaxOfAll = 1000;
constexpr std::size_t kMaxText = 2000;
constexpr std::size_t kMaxEntry = 64 << 10;  // four texts, escaped, and the rest of an entry
constexpr std::size_t kMaxTail = 1 << 20;    // a crash leaves far less than this after the mark

Error trouble_with(const std::filesystem::path& file) {
    return Error{.message = "The audit log " + file.string() + " cannot be written: " + std::strerror(errno)};
}

// Opens or creates a file that only this user can access; refuses symbolic links.
Result<Descriptor> open_own(const std::filesystem::path& file, int how) {
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    Descriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | how, 0600));
    if (opened.get() < 0) return trouble_with(file);
    return opened;
}

std::string read_from(int fd, std::uint64_t offset, std::size_t max) {
    std::string bytes(max, '\0');
    ssize_t count = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
}

// Whether an earlier version wrote the log, with hashes that need no key.
bool is_of_earlier_version(int log) {
    std::string start = read_from(log, 0, kMaxEntry);
    auto entry = json::parse(std::string_view(start).substr(0, start.find('\n')));
    const json::object* fields = entry ? entry->if_object() : nullptr;
    return fields && fields->contains("previous") && !fields->contains("number");
}

std::uint64_t size_of(int fd) {
    struct stat about{};
    return ::fstat(fd, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

}  // namespace

AuditLog::AuditLog(AuditPlace place, Complain complain)
    : place_(std::move(place)), complain_(std::move(complain)) {}

void AuditLog::complain(std::string trouble) {
    if (!trouble.empty() && trouble != trouble_) complain_(trouble);
    trouble_ = std::move(trouble);
}

bool AuditLog::may_write(const Subject& who) {
    auto time = std::chrono::steady_clock::now();
    if (time - window_ >= std::chrono::seconds(1)) {
        window_ = time;
        written_ = 0;
        written_by_session_.clear();
    }
    if (written_ >= kMaxOfAll) return false;
    std::size_t& of_session = written_by_session_[who.principal + '\n' + who.session];
    if (of_session >= kMaxOfSession) return false;
    ++of_session;
    ++written_;
    return true;
}

void AuditLog::add(std::string_view event, const Denial& about) {
    if (!may_write(about.who)) {
        ++left_out_;
        return;
    }
    auto appended = append(event, about, left_out_);
    left_out_ = appended ? 0 : left_out_ + 1;
    if (!appended) complain(appended.error().message);
}

AuditEnd AuditLog::find_end(int log, int mark) {
    std::uint64_t size = size_of(log);
    auto marked = read_mark(read_from(mark, 0, 4096), place_.key);
    AuditEnd end = marked.value_or(AuditEnd{});
    std::string tail = size > end.size ? read_from(log, end.size, kMaxTail) : "";
    for (std::string_view rest = tail; !rest.empty();) {
        std::size_t line = rest.find('\n');
        if (line == rest.npos || !follow_entry(end, rest.substr(0, line), place_.key)) break;
        rest.remove_prefix(line + 1);
    }
    if (end.size == size) {
        trouble_.clear();
        return end;
    }
    complain("The audit log " + place_.file.string() +
             " is not as this server left it: troupe audit verify says where.");
    // The chain continues from our last entry, wherever the file ends now.
    end.size = size;
    return end;
}

Result<void> AuditLog::append(std::string_view event, const Denial& about, std::uint64_t left_out) {
    Descriptor log = TRY(open_own(place_.file, O_APPEND));
    if (is_of_earlier_version(log.get())) {
        std::filesystem::path kept = place_.file.string() + ".unkeyed";
        if (::rename(place_.file.c_str(), kept.c_str()) != 0) return trouble_with(kept);
        complain("The audit log of an earlier version is now " + kept.string() + "; a new one begins.");
        log = TRY(open_own(place_.file, O_APPEND));
    }
    // Another server is writing: the next entry counts this one instead of waiting for the lock.
    if (::flock(log.get(), LOCK_EX | LOCK_NB) != 0) return Error{.code = ErrorCode::Timeout, .message = ""};
    Descriptor mark = TRY(open_own(place_.end_mark, 0));
    json::object entry{{"time", utc_text_now()},
                       {"event", event},
                       {"what", about.what.substr(0, kMaxText)},
                       {"rule", about.rule.substr(0, kMaxText)}};
    if (!about.who.session.empty()) entry["session"] = about.who.session.substr(0, kMaxText);
    if (!about.who.principal.empty()) entry["principal"] = about.who.principal.substr(0, kMaxText);
    if (left_out > 0) entry["leftOut"] = left_out;
    AuditEnd end = find_end(log.get(), mark.get());
    std::string line = append_entry(end, std::move(entry), place_.key);
    if (::write(log.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return trouble_with(place_.file);
    std::string marked = write_mark(end, place_.key);
    if (::pwrite(mark.get(), marked.data(), marked.size(), 0) != static_cast<ssize_t>(marked.size()) ||
        ::ftruncate(mark.get(), static_cast<off_t>(marked.size())) != 0)
        return trouble_with(place_.end_mark);
    return ok();
}

}  // namespace policy
