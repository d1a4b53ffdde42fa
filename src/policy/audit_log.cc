#include "policy/audit_log.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/crypto.h"
#include "util/json.h"
#include "util/strings.h"
#include "util/time_text.h"

namespace policy {
namespace {

constexpr std::size_t kMostASecond = 50;
constexpr std::size_t kMostText = 2000;
constexpr std::size_t kLongestLine = 64 << 10;
constexpr std::string_view kFirst = "0000000000000000000000000000000000000000000000000000000000000000";

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

Error trouble_with(const std::filesystem::path& file) {
    return Error{.message = "The audit log " + file.string() + " cannot be written: " + std::strerror(errno)};
}

std::string hash_of(const json::object& entry) { return hex_encode(sha256(json::serialize(entry))); }

// The hash of the last entry.
Result<std::string> last_hash(int fd, const std::filesystem::path& file) {
    off_t size = ::lseek(fd, 0, SEEK_END);
    if (size < 0) return trouble_with(file);
    if (size == 0) return std::string(kFirst);
    std::size_t room = std::min<std::size_t>(static_cast<std::size_t>(size), kLongestLine);
    std::string end(room, '\0');
    if (::pread(fd, end.data(), room, size - static_cast<off_t>(room)) != static_cast<ssize_t>(room))
        return trouble_with(file);
    std::string_view text = trim(end);
    std::size_t line = text.rfind('\n');
    auto entry = json::parse(std::string(line == std::string_view::npos ? text : text.substr(line + 1)));
    const json::object* fields = entry ? entry->if_object() : nullptr;
    const json::value* hash = fields ? fields->if_contains("hash") : nullptr;
    // Somebody's other text: the chain shows it as a break and begins again.
    return hash && hash->is_string() ? std::string(hash->get_string()) : std::string(kFirst);
}

}  // namespace

AuditLog::AuditLog(std::filesystem::path file, Complain complain)
    : file_(std::move(file)), complain_(std::move(complain)) {}

void AuditLog::add(std::string_view event, const Denial& about) {
    auto time = std::chrono::steady_clock::now();
    if (time - window_ >= std::chrono::seconds(1)) {
        window_ = time;
        written_ = 0;
    }
    if (written_ >= kMostASecond) {
        ++left_out_;
        return;
    }
    ++written_;
    auto appended = append(event, about, left_out_);
    left_out_ = appended ? 0 : left_out_ + 1;
    std::string trouble = appended ? "" : appended.error().message;
    if (!trouble.empty() && trouble != trouble_) complain_(trouble);
    trouble_ = std::move(trouble);
}

Result<void> AuditLog::append(std::string_view event, const Denial& about, std::uint64_t left_out) {
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    Descriptor file{::open(file_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600)};
    if (file.fd < 0) return trouble_with(file_);
    // Another server is writing: the next entry counts this one. Nobody is waited for.
    if (::flock(file.fd, LOCK_EX | LOCK_NB) != 0) return Error{.code = ErrorCode::Timeout, .message = ""};
    json::object entry{{"time", utc_text_now()},
                       {"event", event},
                       {"what", about.what.substr(0, kMostText)},
                       {"rule", about.rule.substr(0, kMostText)}};
    if (!about.who.session.empty()) entry["session"] = about.who.session.substr(0, kMostText);
    if (!about.who.principal.empty()) entry["principal"] = about.who.principal.substr(0, kMostText);
    if (left_out > 0) entry["leftOut"] = left_out;
    entry["previous"] = TRY(last_hash(file.fd, file_));
    entry["hash"] = hash_of(entry);
    std::string line = json::serialize(entry) + "\n";
    if (::write(file.fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return trouble_with(file_);
    return ok();
}

Result<std::size_t> verify_audit(const std::filesystem::path& file) {
    std::ifstream lines(file);
    if (!lines) return Error{.code = ErrorCode::NotFound, .message = "Cannot read " + file.string() + "."};
    std::string previous(kFirst);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        ++count;
        auto broken = Error{.message = file.string() + " was changed at line " + std::to_string(count) + "."};
        auto parsed = json::parse(line);
        json::object* entry = parsed ? parsed->if_object() : nullptr;
        if (!entry) return broken;
        const json::value* hash = entry->if_contains("hash");
        const json::value* before = entry->if_contains("previous");
        if (!hash || !before || *before != json::value(previous)) return broken;
        std::string told = hash->is_string() ? std::string(hash->get_string()) : "";
        entry->erase("hash");
        if (hash_of(*entry) != told) return broken;
        previous = told;
    }
    return count;
}

}  // namespace policy
