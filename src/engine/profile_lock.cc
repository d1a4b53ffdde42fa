#include "engine/profile_lock.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

#include "util/files.h"
#include "util/processes.h"
#include "util/strings.h"

namespace engine {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kPause = 20ms;
// The processes of a killed browser end by themselves soon.
constexpr auto kGroupTimeout = 3s;

// The current or last holder, as the lock's file describes it.
struct Holder {
    pid_t server = 0;  // zero: none
    std::string server_start;
    pid_t browser = 0;
    std::string browser_start;
    bool leaving = false;

    // True if the lock is free or about to become free.
    bool is_ending() const {
        return leaving || server == 0 || server == ::getpid() || start_of(server) != server_start;
    }
    // True if processes of its browser that may write are still alive.
    bool has_browser() const {
        std::string start = start_of(browser);
        bool is_another = !start.empty() && start != browser_start;
        return browser > 0 && !is_another && has_living_member(browser);
    }
};

Holder read_holder(int file) {
    char buffer[128];
    ssize_t count = ::pread(file, buffer, sizeof buffer, 0);
    Holder holder;
    std::vector<std::string> words = split(std::string_view(buffer, count > 0 ? count : 0), ' ');
    auto number = [&](std::size_t index) {
        pid_t value = 0;
        if (index < words.size())
            std::from_chars(words[index].data(), words[index].data() + words[index].size(), value);
        return value;
    };
    holder.server = number(0);
    holder.browser = number(2);
    if (words.size() < 5) return holder;
    holder.server_start = words[1];
    holder.browser_start = words[3];
    holder.leaving = words[4].starts_with("leaving");
    return holder;
}

// Reads Chromium's own lock: a link that names the process which has the profile open. Zero if there is none.
pid_t owner_of(const fs::path& profile) {
    std::error_code failed;
    std::string link = fs::read_symlink(profile / "SingletonLock", failed).string();
    std::size_t dash = link.rfind('-');
    if (failed || dash == std::string::npos) return 0;
    int pid = std::atoi(link.c_str() + dash + 1);
    return pid > 0 && !start_of(pid).empty() ? pid : 0;
}

Error in_use(const fs::path& profile, pid_t owner) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Browser is already in use for " + profile.string() +
                            ", use --isolated to run multiple instances of the same browser",
                 .hint = "It is held by process " + std::to_string(owner) + "."};
}

}  // namespace

std::string profile_holder(const fs::path& profile) {
    if (pid_t owner = owner_of(profile)) return "process " + std::to_string(owner);
    Descriptor file(::open((profile / ".troupe-lock").c_str(), O_RDWR | O_CLOEXEC));
    if (file.get() < 0 || ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return {};
    return "process " + std::to_string(read_holder(file.get()).server);
}

ProfileLock::ProfileLock(Descriptor file) : file_(std::move(file)) { write(false); }

ProfileLock::~ProfileLock() = default;

void ProfileLock::write(bool leaving) const {
    std::string text = std::to_string(::getpid()) + " " + start_of(::getpid()) + " " +
                       std::to_string(browser_) + " " + start_of(browser_) +
                       (leaving ? " leaving\n" : " in-use\n");
    if (::ftruncate(file_.get(), 0) != 0 || ::pwrite(file_.get(), text.data(), text.size(), 0) < 0) return;
}

void ProfileLock::set_browser(pid_t browser) {
    browser_ = browser;
    write(false);
}

void ProfileLock::set_leaving() { write(true); }

Task<ProfileClaim> ProfileLock::claim(Loop& loop, fs::path profile, Deadline deadline) {
    std::error_code failed;
    fs::create_directories(profile, failed);
    Descriptor file(::open((profile / ".troupe-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    // An unwritable profile cannot be locked: the browser reports what is wrong with it.
    while (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        Holder holder = read_holder(file.get());
        if (!holder.is_ending() || deadline.has_passed())
            co_return ProfileClaim{.holder = "process " + std::to_string(holder.server)};
        co_await sleep_for(loop, kPause);
    }
    Holder last = read_holder(file.get());
    Deadline limit = Deadline::in(kGroupTimeout).earlier(deadline);
    while (last.has_browser() && !limit.has_passed()) co_await sleep_for(loop, kPause);
    if (pid_t owner = owner_of(profile)) co_await in_use(profile, owner);
    co_return ProfileClaim{.lock = std::shared_ptr<ProfileLock>(new ProfileLock(std::move(file)))};
}

}  // namespace engine
