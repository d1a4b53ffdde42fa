#include "engine/cdp/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "engine/browser_finder.h"
#include "engine/cdp/pipe.h"
#include "engine/cdp/primary_selection.h"
#include "engine/cdp/temporary_profile.h"
#include "util/files.h"
#include "util/processes.h"
#include "util/spawn.h"

namespace cdp {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr std::size_t kPrintedLimit = 16 << 10;

constexpr std::string_view kBlinkSettings = "--blink-settings=";

// Chromium uses only the last of these arguments: puts all settings into one. Later settings count.
void merge_blink_settings(std::vector<std::string>& arguments) {
    std::string merged = std::string(kBlinkSettings).append(kNoPrimarySelection);
    std::erase_if(arguments, [&](const std::string& argument) {
        if (!argument.starts_with(kBlinkSettings)) return false;
        merged += "," + argument.substr(kBlinkSettings.size());
        return true;
    });
    arguments.push_back(std::move(merged));
}

std::vector<std::string> browser_arguments(const engine::LaunchOptions& options, const fs::path& profile,
                                           bool sandbox) {
    std::vector<std::string> arguments{
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-back-forward-cache",
        "--disable-client-side-phishing-detection",
        "--disable-component-extensions-with-background-pages",
        "--disable-component-update",
        "--disable-breakpad",
        "--disable-default-apps",
        "--disable-dev-shm-usage",
        "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,Translate,AcceptCHFrame,MediaRouter,"
        "PaintHolding,"
        "DestroyProfileOnBrowserClose,HttpsUpgrades,AutomationControlled,SpareRendererForSitePerProcess",
        "--disable-blink-features=AutomationControlled",
        "--disable-hang-monitor",
        "--disable-ipc-flooding-protection",
        "--disable-popup-blocking",
        "--disable-prompt-on-repost",
        "--disable-search-engine-choice-screen",
        "--disable-sync",
        "--allow-pre-commit-input",
        "--enable-automation",
        "--enable-unsafe-swiftshader",
        "--export-tagged-pdf",
        "--force-color-profile=srgb",
        "--metrics-recording-only",
        "--mute-audio",
        "--password-store=basic",
        "--use-mock-keychain",
    };
    if (options.headless) {
        arguments.insert(arguments.end(),
                         {"--headless", "--hide-scrollbars",
                          std::string(kBlinkSettings) + "primaryHoverType=2,availableHoverTypes=2,"
                                                        "primaryPointerType=4,availablePointerTypes=4"});
    }
    if (!sandbox) arguments.emplace_back("--no-sandbox");
    // A profile may have extensions of its own.
    if (options.user_data_dir.empty()) arguments.emplace_back("--disable-extensions");
    std::erase_if(arguments, [&](const std::string& argument) {
        return std::ranges::any_of(options.unwanted_arguments,
                                   [&](const std::string& each) { return each == "*" || each == argument; });
    });
    arguments.insert(arguments.begin(), {"--remote-debugging-pipe", user_data_argument(profile)});
    if (!options.proxy_server.empty()) {
        arguments.push_back("--proxy-server=" + options.proxy_server);
        arguments.push_back("--proxy-bypass-list=" + bypass_list(options.proxy_bypass));
    }
    arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
    merge_blink_settings(arguments);
    // A profile opens with its tab; contexts in memory open their own.
    arguments.emplace_back(options.user_data_dir.empty() ? "--no-startup-window" : "about:blank");
    return arguments;
}

class Process final : public BrowserProcess {
public:
    Process(Loop& loop, Spawned spawned, std::unique_ptr<TemporaryProfile> profile, bool headless_shell,
            Log& log)
        : loop_(loop),
          pid_(spawned.pid),
          exit_watch_(std::move(spawned.exit_watch)),
          profile_(std::move(profile)),
          headless_shell_(headless_shell),
          output_(std::make_shared<Output>(loop, spawned.errors.release())),
          connection_(Connection::create(
              loop, pipe_transport(loop, std::move(spawned.input), std::move(spawned.output)), log)) {
        Output::read(output_);
    }

    ~Process() override {
        connection_->close();
        // The group leader's id is not reused until it is reaped, so this hits no other process. One that
        // still ran could write to the profile after its removal.
        kill_group(pid_, 2s);
        siginfo_t info{};
        ::waitid(P_PIDFD, static_cast<id_t>(exit_watch_.get()), &info, WEXITED | WNOHANG);
        output_->descriptor.close();
    }

    const std::shared_ptr<Connection>& connection() const override { return connection_; }
    std::string printed() const override { return output_->text; }
    bool is_headless_shell() const override { return headless_shell_; }
    int id() const override { return pid_; }

    Task<> close(Deadline deadline) override {
        auto watch = std::make_shared<asio::posix::stream_descriptor>(
            loop_, ::fcntl(exit_watch_.get(), F_DUPFD_CLOEXEC, 3));
        if (!connection_->is_closed()) connection_->browser()->post("Browser.close");
        auto ended = co_await as_result(with_deadline(
            loop_, wait_for_exit(watch), Deadline::in(3s).earlier(deadline), "Closing the browser"));
        if (ended) co_return;
        ::kill(-pid_, SIGTERM);
        (void)co_await as_result(
            with_deadline(loop_, wait_for_exit(watch), Deadline::in(2s), "Ending the browser"));
    }

    void kill() override { ::kill(-pid_, SIGKILL); }

private:
    // The browser's output; kept alive by its pending read.
    struct Output {
        Output(Loop& loop, int fd) : descriptor(loop, fd) {}
        static void read(const std::shared_ptr<Output>& self) {
            self->descriptor.async_read_some(
                asio::buffer(self->buffer), [self](error_code error, std::size_t count) {
                    self->text.append(self->buffer, count);
                    if (self->text.size() > kPrintedLimit)
                        self->text.erase(0, self->text.size() - kPrintedLimit / 2);
                    if (!error) read(self);
                });
        }
        asio::posix::stream_descriptor descriptor;
        char buffer[4096];
        std::string text;
    };

    static Task<> wait_for_exit(std::shared_ptr<asio::posix::stream_descriptor> watch) {
        co_await watch->async_wait(asio::posix::stream_descriptor::wait_read, use_task);
    }

    Loop& loop_;
    pid_t pid_;
    Descriptor exit_watch_;
    std::unique_ptr<TemporaryProfile> profile_;
    bool headless_shell_;
    std::shared_ptr<Output> output_;
    std::shared_ptr<Connection> connection_;
};

Task<json::value> first_answer(const std::shared_ptr<Connection>& connection) {
    co_return co_await connection->browser()->send("Browser.getVersion");
}

}  // namespace

std::string bypass_list(const std::string& bypass) {
    return bypass.empty() ? "<-loopback>" : "<-loopback>;" + bypass;
}

Task<std::unique_ptr<BrowserProcess>> launch(Loop& loop, engine::LaunchOptions options, Log& log) {
    auto found = co_await engine::find_browser(
        {.executable = options.executable, .name = options.browser, .headless = options.headless});
    bool sandbox = options.sandbox.value_or(::geteuid() != 0);
    if (!options.sandbox && !sandbox) log.info("running as root: the browser's sandbox is off");
    std::unique_ptr<TemporaryProfile> temporary;
    std::filesystem::path profile = options.user_data_dir;
    if (profile.empty()) {
        temporary = co_await TemporaryProfile::create(options.remover);
        profile = temporary->path();
    }
    std::vector<std::string> command = browser_arguments(options, profile, sandbox);
    command.insert(command.begin(), found.path.string());
    Spawned spawned = co_await spawn(command, options.environment, {}, Pipes::DevTools, options.profile_lock);
    auto process =
        std::make_unique<Process>(loop, std::move(spawned), std::move(temporary), found.headless_only, log);
    auto answer = co_await as_result(with_deadline(loop, first_answer(process->connection()),
                                                   Deadline::in(options.timeout), "Starting the browser"));
    if (!answer) {
        std::string printed = process->printed();
        co_await Error{
            .code = ErrorCode::BrowserCrashed,
            .message = "Failed to launch the browser: " + found.path.string() +
                       (answer.error().code == ErrorCode::Timeout
                            ? " did not answer in " + std::to_string(options.timeout.count()) + " ms."
                            : " ended at once.") +
                       (printed.empty() ? "" : "\nBrowser logs:\n" + printed),
            .hint = "Run `troupe doctor` to see what is missing."};
    }
    co_return std::unique_ptr<BrowserProcess>(std::move(process));
}

}  // namespace cdp
