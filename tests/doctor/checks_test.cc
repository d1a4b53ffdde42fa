#include "doctor/checks.h"

#include <algorithm>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/playwright_probe.h"
#include "doctor/report.h"
#include "tests/doctor/test_directory.h"
#include "util/files.h"

using namespace doctor;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

using Outcome = Check::Outcome;

auto is_ok(const std::string& finding) {
    return AllOf(Field(&Check::outcome, Outcome::Ok), Field(&Check::finding, HasSubstr(finding)));
}

auto says(Outcome outcome, const std::string& finding, const std::string& remedy) {
    return AllOf(Field(&Check::outcome, outcome), Field(&Check::finding, HasSubstr(finding)),
                 Field(&Check::remedy, HasSubstr(remedy)));
}

// A socket that listens on a port of 127.0.0.1 while it lives.
class Listener {
public:
    Listener() {
        sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(fd_, 1), 0);
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
    }
    ~Listener() { ::close(fd_); }
    int port() const { return port_; }

private:
    int fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int port_ = 0;
};

TEST(DoctorSystem, NamesWhatABugReportNeeds) {
    SystemFacts facts{.os = "Debian GNU/Linux 12 (bookworm)", .kernel = "Linux 6.1.0", .libc = "glibc 2.36"};

    EXPECT_THAT(check_system(facts), is_ok("on Debian GNU/Linux 12 (bookworm), Linux 6.1.0, glibc 2.36"));
    EXPECT_THAT(check_system(facts), is_ok("troupe " TROUPE_VERSION));
}

TEST(DoctorSystem, FailsWhereBrowsersCannotBeWatched) {
    SystemFacts facts{
        .os = "Debian 9", .kernel = "Linux 4.9", .libc = "glibc 2.24", .can_watch_processes = false};

    EXPECT_THAT(check_system(facts), says(Outcome::Failed, "pidfd_open", "Linux 5.3 or newer"));
}

TEST(DoctorSystem, ReadsTheNameOfTheDistribution) {
    EXPECT_EQ(pretty_name("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"), "Debian GNU/Linux 12");
    EXPECT_EQ(pretty_name("PRETTY_NAME=Alpine\n"), "Alpine");
    EXPECT_EQ(pretty_name(""), "Linux");
    EXPECT_THAT(SystemFacts::current().libc, HasSubstr("glibc 2."));
}

TEST(DoctorBrowser, SaysWhichOneWillBeUsed) {
    engine::FoundBrowser browser{.path = "/usr/lib/chromium/chromium", .name = "chromium"};

    EXPECT_THAT(check_browser_found(browser, "Chromium 156.0"),
                is_ok("Chromium 156.0, /usr/lib/chromium/chromium"));
    EXPECT_THAT(check_browser_found(browser, ""), is_ok("chromium, version unknown"));
}

TEST(DoctorBrowser, FailsWithWhatToInstall) {
    Error missing{
        .code = ErrorCode::NotFound, .message = "No browser is installed.", .hint = "Run: apt-get ..."};

    EXPECT_THAT(check_browser_found(missing, ""), says(Outcome::Failed, "No browser", "apt-get"));
}

TEST(DoctorBrowserStarts, TellsWhoAnsweredAndHowFast) {
    TestDirectory directory;
    auto script =
        directory.add_script("answers", R"(printf '{"id":1,"result":{"product":"Fake/1.0"}}\0' >&4)");

    EXPECT_THAT(check_browser_starts({.executable = script}), is_ok("Fake/1.0 answered after "));
}

TEST(DoctorBrowserStarts, ShowsTheEndOfAFailedBrowsersStderrAndWhatToTry) {
    TestDirectory directory;
    auto script = directory.add_script("fails", "echo 'Something is wrong' >&2; exit 1");

    Check check = check_browser_starts({.executable = script});

    EXPECT_THAT(check, says(Outcome::Failed, "exit status 1", script.string() + " --headless"));
    EXPECT_EQ(check.evidence, "Something is wrong");
}

TEST(DoctorBrowserStarts, KnowsTheUsualReasons) {
    TestDirectory directory;
    auto library = directory.add_script(
        "library", "echo 'error while loading shared libraries: libnss3.so: cannot open' >&2; exit 127");
    auto sandbox = directory.add_script("sandbox", "echo 'FATAL: No usable sandbox!' >&2; exit 1");

    EXPECT_THAT(check_browser_starts({.executable = library}).remedy, HasSubstr("Install the library"));
    EXPECT_THAT(check_browser_starts({.executable = sandbox}).remedy, HasSubstr("sandbox"));
}

TEST(DoctorBrowserStarts, FailsOnABrowserThatNeverAnswersOrIsMissing) {
    TestDirectory directory;
    auto hangs = directory.add_script("hangs", "sleep 600");

    EXPECT_THAT(check_browser_starts({.executable = hangs, .limit = 100ms}),
                says(Outcome::Failed, "did not answer within 100 ms", "by hand"));
    EXPECT_THAT(check_browser_starts({.executable = directory.path() / "missing"}),
                says(Outcome::Failed, "ended", "by hand"));
}

TEST(DoctorSandbox, WarnsWhenItIsOff) {
    EXPECT_THAT(check_sandbox({.wanted = true, .is_root = true}),
                says(Outcome::Warning, "--no-sandbox", "ordinary user"));
    EXPECT_THAT(check_sandbox({.wanted = false}), says(Outcome::Warning, "Turned off", "--no-sandbox"));
}

TEST(DoctorSandbox, NeedsNamespacesOrTheHelper) {
    EXPECT_THAT(check_sandbox({.namespaces_work = true}), is_ok("namespaces"));
    EXPECT_THAT(check_sandbox({.namespaces_work = false, .has_helper = true}), is_ok("chrome-sandbox"));
    EXPECT_THAT(check_sandbox({.namespaces_work = false}),
                says(Outcome::Failed, "namespaces", "apt-get install chromium-sandbox"));
}

TEST(DoctorSandbox, IsInUseOnlyForOrdinaryUsersWhoWantIt) {
    EXPECT_TRUE((SandboxFacts{.wanted = true, .is_root = false}).in_use());
    EXPECT_FALSE((SandboxFacts{.wanted = true, .is_root = true}).in_use());
    EXPECT_FALSE((SandboxFacts{.wanted = false, .is_root = false}).in_use());
    EXPECT_EQ(SandboxFacts::current(true, "/usr/bin/true").is_root, ::geteuid() == 0);
}

TEST(DoctorDisplay, IsNeededForAWindow) {
    EXPECT_THAT(check_display(":0"), is_ok(":0"));
    EXPECT_THAT(check_display(""), says(Outcome::Failed, "no display", "--headless"));
}

TEST(DoctorStateDirectory, IsCreatedAndLeftEmpty) {
    TestDirectory directory;
    auto state = directory.path() / "new" / "troupe";

    EXPECT_THAT(check_state_directory(state, 1), is_ok(state.string() + " is writable"));
    EXPECT_TRUE(std::filesystem::is_empty(state));
    EXPECT_EQ(std::filesystem::status(state).permissions(), std::filesystem::perms::owner_all);
}

TEST(DoctorStateDirectory, FailsWhereNothingCanBeWritten) {
    TestDirectory directory;
    auto file = directory.add_script("file", "");

    EXPECT_THAT(check_state_directory(file / "troupe"),
                says(Outcome::Failed, "Cannot create", "XDG_STATE_HOME"));
    EXPECT_THAT(check_state_directory("/proc"), says(Outcome::Failed, "/proc", "XDG_STATE_HOME"));
}

TEST(DoctorStateDirectory, WarnsWhenTheDiskIsNearlyFull) {
    TestDirectory directory;

    EXPECT_THAT(check_state_directory(directory.path(), UINTMAX_MAX),
                says(Outcome::Warning, "left", "Free some space"));
}

TEST(DoctorProfile, IsWritableAndSaysWhoHasIt) {
    TestDirectory directory;
    auto profile = directory.path() / "profile";

    EXPECT_THAT(check_profile("", ""), is_ok("temporary"));
    EXPECT_THAT(check_profile(profile, ""), is_ok(profile.string() + " is writable"));
    EXPECT_TRUE(std::filesystem::is_empty(profile));
    EXPECT_THAT(check_profile(profile, "process 7"),
                says(Outcome::Note, "in use by process 7", "--user-data-dir"));
    EXPECT_THAT(check_profile("/proc/profile", ""), says(Outcome::Failed, "/proc/profile", "--isolated"));
}

TEST(DoctorRunCode, FindsThePackageAsAServerDoes) {
    TestDirectory directory;
    auto node = find_program("node");
    ASSERT_FALSE(node.empty()) << "packages.txt has nodejs";
    auto add = [&](const std::string& version) {
        auto package = directory.path() / "node_modules/playwright-core";
        std::filesystem::create_directories(package);
        ASSERT_TRUE(write_file(package / "package.json",
                               R"({"name": "playwright-core", "version": ")" + version + "\"}"));
    };
    PlaywrightProbe probe{.node = node, .module = directory.path() / "node_modules/playwright-core"};

    EXPECT_THAT(check_run_code(probe_playwright(probe)), says(Outcome::Note, "is not", "npm install"));
    add("1.40.0");
    EXPECT_THAT(check_run_code(probe_playwright(probe)),
                says(Outcome::Note, "has version 1.40.0", "npm install"));
    add("1.99.0");
    EXPECT_THAT(check_run_code(probe_playwright(probe)), is_ok("playwright-core 1.99.0"));
    EXPECT_THAT(check_run_code(probe_playwright({})),
                says(Outcome::Note, "Node.js is not installed", "npm install"));
}

TEST(DoctorPort, IsFineWhenFreeOrLeftToTheSystem) {
    int port = Listener().port();  // free again by the next line

    EXPECT_THAT(check_port("127.0.0.1", port), is_ok("127.0.0.1:" + std::to_string(port) + " is free"));
    EXPECT_THAT(check_port("127.0.0.1", 0), is_ok("any free one"));
}

TEST(DoctorPort, NamesTheProcessThatHoldsIt) {
    Listener listener;

    EXPECT_THAT(
        check_port("127.0.0.1", listener.port()),
        says(Outcome::Failed, "doctor_tests (process " + std::to_string(::getpid()) + ")", "--port 0"));
}

TEST(DoctorPort, IsFineWhenARunningTroupeHoldsIt) {
    Listener listener;
    char name[16];
    ::prctl(PR_GET_NAME, name);
    ::prctl(PR_SET_NAME, "troupe");

    Check check = check_port("127.0.0.1", listener.port());
    ::prctl(PR_SET_NAME, name);

    EXPECT_THAT(check, is_ok("served by troupe"));
}

TEST(DoctorPort, FailsOnAnAddressThatIsNotOurs) {
    EXPECT_THAT(check_port("192.0.2.1", 8931), says(Outcome::Failed, "not an address", "127.0.0.1"));
    EXPECT_THAT(check_port("no such host", 8931), says(Outcome::Failed, "unknown", "127.0.0.1"));
}

TEST(DoctorSharedMemory, WarnsWhenSmallOrMissing) {
    EXPECT_THAT(check_shared_memory(std::uintmax_t{1} << 30), is_ok("1024 MB"));
    EXPECT_THAT(check_shared_memory(std::uintmax_t{64} << 20), says(Outcome::Warning, "64 MB", "--shm-size"));
    EXPECT_THAT(check_shared_memory(std::nullopt), says(Outcome::Warning, "no /dev/shm", "--shm-size"));
}

TEST(DoctorOpenFiles, WarnsWhenTooFewForManyAgents) {
    EXPECT_THAT(check_open_files(65536), is_ok("65536"));
    EXPECT_THAT(check_open_files(1024), says(Outcome::Warning, "1024", "ulimit -n"));
}

TEST(DoctorNode, IsOptional) {
    EXPECT_THAT(check_node("v20.1.0"), is_ok("v20.1.0"));
    EXPECT_THAT(check_node(""), says(Outcome::Note, "Not installed", "apt-get install nodejs"));
    EXPECT_THAT(check_node("v12.0.0"), says(Outcome::Note, "too old", "Node 18"));
}

TEST(Doctor, FindsThisMachineFitAndSaysWhatToDoOnEveryOtherLine) {
    TestDirectory directory;

    std::vector<Check> checks =
        examine({.port = 0, .state_dir = directory.path(), .browser_start_limit = 60s});

    EXPECT_EQ(exit_status(checks), 0) << render(checks, Color::No);
    EXPECT_GE(checks.size(), 9U);
    for (const Check& check : checks)
        if (check.outcome != Outcome::Ok) EXPECT_THAT(check.remedy, Not(IsEmpty())) << check.name;
}

TEST(Doctor, DoesNotTryToStartABrowserThatIsMissing) {
    TestDirectory directory;

    std::vector<Check> checks =
        examine({.executable = directory.path() / "missing", .port = 0, .state_dir = directory.path()});

    EXPECT_EQ(exit_status(checks), 1);
    EXPECT_THAT(checks, Not(Contains(Field(&Check::name, "browser starts"))));
}

TEST(Doctor, LooksForADisplayOnlyWhenAWindowIsWanted) {
    TestDirectory directory;
    auto script = directory.add_script("browser", "exit 1");
    DoctorOptions options{.executable = script, .headless = false, .port = 0, .state_dir = directory.path()};

    EXPECT_THAT(examine(options), Contains(Field(&Check::name, "display")));
    options.headless = true;
    EXPECT_THAT(examine(options), Not(Contains(Field(&Check::name, "display"))));
}

}  // namespace
