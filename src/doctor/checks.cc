#include "doctor/checks.h"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "doctor/playwright_probe.h"
#include "doctor/port_holder.h"
#include "doctor/process.h"
#include "engine/profile_lock.h"
#include "util/files.h"
#include "util/strings.h"

namespace doctor {
namespace {

using namespace std::chrono_literals;
using Outcome = Check::Outcome;

constexpr std::uintmax_t kMegabyte = std::uintmax_t{1} << 20;
constexpr std::uint64_t kWantedFiles = 4096;
constexpr int kWantedNode = 18;

std::string in_megabytes(std::uintmax_t bytes) {
    if (bytes >= 10'000 * kMegabyte) return std::to_string(bytes / (1024 * kMegabyte)) + " GB";
    return std::to_string(bytes / kMegabyte) + " MB";
}

std::string remedy_for_browser_stderr(const std::filesystem::path& executable, const std::string& text) {
    if (text.contains("shared libraries"))
        return "Install the library that it names; for Debian's own browser: apt-get install --reinstall "
               "chromium-headless-shell";
    if (text.contains("sandbox") || text.contains("namespace"))
        return "See the sandbox line, or start with --no-sandbox if every page it visits can be trusted.";
    return "Try it by hand: " + executable.string() + " --headless --dump-dom about:blank";
}

// Returns 0, or the errno of the failure to open a listening socket there.
Result<int> try_listening(const std::string& host, int port) {
    addrinfo wanted{
        .ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    addrinfo* address = nullptr;
    if (int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &address); code != 0)
        return Error{.code = ErrorCode::InvalidArgument, .message = ::gai_strerror(code)};
    int fd = ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int yes = 1;
    bool works = fd >= 0 && ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                 ::bind(fd, address->ai_addr, address->ai_addrlen) == 0 && ::listen(fd, 1) == 0;
    int number = works ? 0 : errno;
    if (fd >= 0) ::close(fd);
    ::freeaddrinfo(address);
    return number;
}

// Creates the directory if it is missing, and leaves no file in it.
Result<void> try_writing(const std::filesystem::path& directory) {
    std::error_code failed;
    if (std::filesystem::create_directories(directory, failed))
        std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failed);
    if (failed)
        return Error{.code = ErrorCode::InternalError,
                     .message = "Cannot create " + directory.string() + ": " + failed.message() + "."};
    std::filesystem::path probe = directory / (".doctor-" + std::to_string(::getpid()));
    TRY(write_file(probe, "probe"));
    std::filesystem::remove(probe, failed);
    return ok();
}

Check check_taken_port(const std::string& place, int port) {
    std::optional<PortHolder> holder = find_port_holder(port);
    if (!holder)
        return {Outcome::Failed, "port", place + " is taken by another user's process.",
                "Choose another port: --port 0 picks a free one."};
    std::string who = holder->name + " (process " + std::to_string(holder->pid) + ")";
    if (holder->name == "troupe") return {Outcome::Ok, "port", place + " is served by " + who};
    return {Outcome::Failed, "port", place + " is taken by " + who + ".",
            "Stop that process, or choose another port: --port 0 picks a free one."};
}

}  // namespace

Check check_system(const SystemFacts& facts) {
    std::string finding =
        "troupe " TROUPE_VERSION " on " + facts.os + ", " + facts.kernel + ", " + facts.libc;
    if (facts.can_watch_processes) return {Outcome::Ok, "system", finding};
    return {Outcome::Failed, "system",
            finding + ": this kernel has no pidfd_open, by which browsers are watched.",
            "Use Linux 5.3 or newer, and a container profile that allows pidfd_open."};
}

Check check_browser_found(const Result<engine::FoundBrowser>& found, const std::string& version) {
    if (!found) return {Outcome::Failed, "browser", found.error().message, found.error().hint};
    return {Outcome::Ok, "browser",
            (version.empty() ? found->name + ", version unknown" : version) + ", " + found->path.string()};
}

Check check_browser_starts(const BrowserProbe& probe) {
    Result<BrowserAnswer> answer = probe_browser(probe);
    if (answer)
        return {Outcome::Ok, "browser starts",
                answer->product + " answered after " + std::to_string(answer->elapsed.count()) + " ms"};
    const Error& error = answer.error();
    return {Outcome::Failed, "browser starts", error.message,
            error.hint.empty() ? remedy_for_browser_stderr(probe.executable, error.details) : error.hint,
            error.details};
}

Check check_sandbox(const SandboxFacts& facts) {
    if (!facts.wanted)
        return {Outcome::Warning, "sandbox",
                "Turned off: a page that breaks out of the browser is this user.",
                "Leave out --no-sandbox unless every page it visits can be trusted."};
    if (facts.is_root)
        return {Outcome::Warning, "sandbox", "Running as root: browsers will be started with --no-sandbox.",
                "Run troupe as an ordinary user to keep pages inside Chromium's sandbox."};
    if (facts.namespaces_work) return {Outcome::Ok, "sandbox", "user namespaces work"};
    if (facts.has_helper) return {Outcome::Ok, "sandbox", "the setuid helper chrome-sandbox is installed"};
    return {Outcome::Failed, "sandbox",
            "This user may not create user namespaces, so the sandbox cannot start.",
            "Install the helper (apt-get install chromium-sandbox), or allow them (sysctl "
            "kernel.unprivileged_userns_clone=1; on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0)."};
}

Check check_display(const std::string& display) {
    if (!display.empty()) return {Outcome::Ok, "display", "windows open on " + display};
    return {Outcome::Failed, "display",
            "A browser window is asked for and there is no display to open it on.",
            "Use --headless, or start under a desktop or xvfb-run."};
}

Check check_state_directory(const std::filesystem::path& directory, std::uintmax_t wanted_bytes) {
    if (auto tried = try_writing(directory); !tried)
        return {
            Outcome::Failed, "state directory", tried.error().message,
            "Give this user write access to it, or set XDG_STATE_HOME to a directory that it may write to."};
    std::error_code failed;
    std::string finding = directory.string() + " is writable";
    std::uintmax_t free = std::filesystem::space(directory, failed).available;
    if (failed) return {Outcome::Ok, "state directory", finding};
    if (free >= wanted_bytes)
        return {Outcome::Ok, "state directory", finding + ", " + in_megabytes(free) + " free"};
    return {Outcome::Warning, "state directory", finding + ", with only " + in_megabytes(free) + " left.",
            "Free some space: recordings and browser profiles are kept there."};
}

Check check_port(const std::string& host, int port) {
    if (port == 0) return {Outcome::Ok, "port", "any free one"};
    std::string place = (host.contains(':') ? "[" + host + "]" : host) + ":" + std::to_string(port);
    Result<int> number = try_listening(host, port);
    if (!number)
        return {Outcome::Failed, "port", "The host " + host + " is unknown: " + number.error().message + ".",
                "Use an address of this machine: --host 127.0.0.1"};
    switch (*number) {
        case 0:
            return {Outcome::Ok, "port", place + " is free"};
        case EADDRINUSE:
            return check_taken_port(place, port);
        case EACCES:
            return {Outcome::Failed, "port", place + " takes more rights than this user has.",
                    "Choose a port above 1023: --port 8931"};
        case EADDRNOTAVAIL:
            return {Outcome::Failed, "port", host + " is not an address of this machine.",
                    "Use one that `ip address` lists: --host 127.0.0.1"};
        default:
            return {Outcome::Failed, "port",
                    "Cannot listen on " + place + ": " + std::strerror(*number) + ".",
                    "Choose another: --host 127.0.0.1 --port 0"};
    }
}

Check check_shared_memory(std::optional<std::uintmax_t> bytes) {
    if (bytes && *bytes >= 256 * kMegabyte)
        return {Outcome::Ok, "shared memory", in_megabytes(*bytes) + " in /dev/shm"};
    return {Outcome::Warning, "shared memory",
            bytes
                ? "/dev/shm holds only " + in_megabytes(*bytes) + "; browsers will use slower files instead."
                : "There is no /dev/shm; browsers will use slower files instead.",
            "Give the container more: docker run --shm-size=1g"};
}

Check check_open_files(std::uint64_t limit) {
    if (limit >= kWantedFiles) return {Outcome::Ok, "open files", "up to " + std::to_string(limit)};
    return {Outcome::Warning, "open files",
            "At most " + std::to_string(limit) + " files may be open, enough for few agents at a time.",
            "Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit."};
}

Check check_node(const std::string& version) {
    const std::string use = "needed only by browser_run_code_unsafe and the upstream engine";
    if (version.empty())
        return {Outcome::Note, "node", "Not installed; " + use + ".",
                "To use those: apt-get install nodejs npm"};
    if (std::atoi(version.c_str() + version.starts_with('v')) < kWantedNode)
        return {Outcome::Note, "node", version + " is too old; " + use + ".",
                "To use those, install Node " + std::to_string(kWantedNode) + " or newer."};
    return {Outcome::Ok, "node", version + ", " + use};
}

Check check_profile(const std::filesystem::path& directory, const std::string& holder) {
    if (directory.empty()) return {Outcome::Ok, "profile", "browsers have temporary ones"};
    if (auto tried = try_writing(directory); !tried)
        return {Outcome::Failed, "profile", tried.error().message,
                "Give this user write access to it, name another with --user-data-dir, or use --isolated."};
    if (holder.empty()) return {Outcome::Ok, "profile", directory.string() + " is writable"};
    return {Outcome::Note, "profile", directory.string() + " is in use by " + holder + ".",
            "Sessions have contexts in memory meanwhile. To use the profile, end that process first, or name "
            "another with --user-data-dir."};
}

Check check_run_code(const Result<std::string>& found) {
    if (found) return {Outcome::Ok, "run code", *found + ", needed only by browser_run_code_unsafe"};
    return {Outcome::Note, "run code", "browser_run_code_unsafe cannot run: " + found.error().message + ".",
            "To use it: npm install -g playwright-core, or name its folder with --playwright-module."};
}

std::vector<Check> examine(const DoctorOptions& options) {
    std::vector<Check> checks = {check_system(SystemFacts::current())};
    Result<engine::FoundBrowser> browser = engine::find_browser(
        {.executable = options.executable, .name = options.browser, .headless = options.headless});
    std::filesystem::path executable = browser ? browser->path : std::filesystem::path();
    SandboxFacts sandbox = SandboxFacts::current(options.sandbox, executable);
    std::string version = browser ? run({executable, {"--version"}}, 5s).value_or("") : "";
    checks.push_back(check_browser_found(browser, version));
    if (browser)
        checks.push_back(check_browser_starts(
            {.executable = executable, .sandbox = sandbox.in_use(), .limit = options.browser_start_limit}));
    checks.push_back(check_sandbox(sandbox));
    if (!options.headless) {
        std::string display = environment("WAYLAND_DISPLAY");
        checks.push_back(check_display(display.empty() ? environment("DISPLAY") : display));
    }
    checks.push_back(
        check_state_directory(options.state_dir.empty() ? state_directory() : options.state_dir));
    checks.push_back(check_profile(options.profile, engine::profile_holder(options.profile)));
    checks.push_back(check_port(options.host, options.port));
    checks.push_back(check_shared_memory(shared_memory_bytes()));
    checks.push_back(check_open_files(open_files_limit()));
    std::filesystem::path node = find_program("node");
    checks.push_back(check_node(node.empty() ? "" : run({node, {"--version"}}, 5s).value_or("")));
    checks.push_back(check_run_code(probe_playwright(
        {.node = node, .module = options.playwright_module, .directory = options.directory})));
    return checks;
}

}  // namespace doctor
