#include "doctor/browser_probe.h"

#include <cerrno>
#include <cstring>
#include <stdlib.h>
#include <string_view>
#include <system_error>

#include "doctor/process.h"
#include "util/json.h"

namespace doctor {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t kReportedLines = 12;

// A temporary directory, removed with its contents by the destructor.
class TempDirectory {
public:
    static Result<TempDirectory> create() {
        std::error_code ignored;
        std::filesystem::path base = std::filesystem::temp_directory_path(ignored);
        if (base.empty()) base = "/tmp";
        std::string name = (base / "troupe-doctor-XXXXXX").string();
        if (::mkdtemp(name.data())) return TempDirectory(name);
        return Error{
            .message = "Cannot create a directory in " + base.string() + ": " + std::strerror(errno) + ".",
            .hint = "Make it writable, or set TMPDIR to a directory that is."};
    }
    TempDirectory(TempDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    ~TempDirectory() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    explicit TempDirectory(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

std::vector<std::string> browser_arguments(const BrowserProbe& probe, const std::filesystem::path& profile) {
    std::vector<std::string> arguments = {
        "--headless",
        "--remote-debugging-pipe",
        "--user-data-dir=" + profile.string(),
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-sync",
        "--disable-extensions",
        "--disable-dev-shm-usage",
        // Otherwise full Chromium leaves two crash handlers behind, outside of its process group.
        "--disable-crashpad-for-testing",
        "--disable-gpu",
        "--mute-audio",
        "--password-store=basic",
    };
    if (!probe.sandbox) arguments.push_back("--no-sandbox");
    return arguments;
}

void send_message(Process& process, std::string_view message) { process.send(std::string(message) + '\0'); }

// The product named by the first complete message; empty until that has arrived.
std::string product_in(std::string_view messages) {
    std::size_t end = messages.find('\0');
    if (end == std::string_view::npos) return {};
    Result<json::value> message = json::parse(messages.substr(0, end));
    const json::value* product = message ? json::find_path(*message, {"result", "product"}) : nullptr;
    return product && product->is_string() ? std::string(product->as_string()) : "a browser without a name";
}

Error failure(ErrorCode code, std::string message, const Process& process) {
    return Error{
        .code = code, .message = std::move(message), .details = last_lines(process.errors(), kReportedLines)};
}

Result<std::string> ask_product(Process& process, std::chrono::milliseconds limit) {
    send_message(process, R"({"id":1,"method":"Browser.getVersion"})");
    steady_clock::time_point deadline = steady_clock::now() + limit;
    for (;;) {
        Process::Event event = process.wait(deadline);
        if (std::string product = product_in(process.messages()); !product.empty()) return product;
        if (event == Process::Event::Ended)
            return failure(ErrorCode::BrowserCrashed,
                           "It ended with " + process.ending() + " before it answered.", process);
        if (event == Process::Event::TimedOut)
            return failure(ErrorCode::Timeout,
                           "It did not answer within " + std::to_string(limit.count()) + " ms.", process);
    }
}

}  // namespace

Result<BrowserAnswer> probe_browser(const BrowserProbe& probe) {
    TempDirectory directory = TRY(TempDirectory::create());  // outlives the process that writes to it
    steady_clock::time_point start = steady_clock::now();
    Process process = TRY(Process::start({.program = probe.executable,
                                          .arguments = browser_arguments(probe, directory.path() / "profile"),
                                          .temp_dir = directory.path()}));
    std::string product = TRY(ask_product(process, probe.limit));
    auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start);

    // A browser that closes by itself leaves less for the destructor to kill.
    send_message(process, R"({"id":2,"method":"Browser.close"})");
    steady_clock::time_point goodbye = steady_clock::now() + 2s;
    while (process.wait(goodbye) == Process::Event::Progress) continue;
    return BrowserAnswer{.product = product, .elapsed = elapsed};
}

}  // namespace doctor
