#include "doctor/isolation.h"

#include "doctor/isolation_rows.h"
#include "doctor/process.h"
#include "util/crypto.h"

namespace doctor {
namespace {

using Outcome = Check::Outcome;
using browsers::Isolation;

constexpr std::chrono::seconds kGoodbye{10};

// The directory for the agents' files; removed by the destructor.
class Directory {
public:
    Directory() : path_(std::filesystem::temp_directory_path() / ("troupe-isolation-" + random_uuid())) {
        std::filesystem::create_directories(path_);
    }
    Directory(const Directory&) = delete;
    ~Directory() {
        std::error_code failed;
        std::filesystem::remove_all(path_, failed);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

std::string_view name_of(Isolation isolation) {
    switch (isolation) {
        case Isolation::Browser:
            return "browser";
        case Isolation::Shared:
            return "shared";
        case Isolation::Context:
        case Isolation::Profile:
            break;
    }
    return "context";
}

// Changes the options so that the checks never touch a profile or browser of the user.
session::SessionsOptions for_checks(session::SessionsOptions options,
                                    const std::filesystem::path& directory) {
    if (options.pool.isolation == Isolation::Profile) options.pool.isolation = Isolation::Context;
    options.pool.user_data_dir.clear();
    options.pool.connect = {};
    options.pool.shared_context = false;
    options.session.working_directory = directory;
    options.session.output_dir.clear();
    options.session.file_paths = session::FilePaths::Relative;
    options.session.tab_ids = true;
    options.session.shared_context = false;
    options.session.save_session = false;
    options.session.secrets.clear();
    // Delivers snapshots as resources, so that those are checked.
    options.session.snapshot_delivery = session::SnapshotDelivery::Both;
    options.session.snapshot_inline_limit = 0;
    options.session.announce = nullptr;
    return options;
}

Check judge(const IsolationRow& row, Result<std::optional<std::string>> found, Isolation isolation) {
    std::string name(row.name);
    if (!found) {
        return {Outcome::Failed, name, "Could not be checked: " + found.error().message,
                "Run troupe doctor to see whether browsers work here.", last_lines(found.error().details, 8)};
    }
    if (!*found) return {Outcome::Ok, name, "each session has its own"};
    if (row.belongs == Belongs::ToContext && isolation == Isolation::Shared)
        return {Outcome::Note, name, "shared, as --isolation shared says"};
    return {Outcome::Failed, name, **found,
            isolation == Isolation::Browser
                ? "This is a defect: please report it."
                : "Keep agents that must not meet apart with --isolation browser, "
                  "and please report this."};
}

Task<std::vector<Check>> run_rows(Loop& loop, const session::SessionsOptions& options, Agent& owner,
                                  Agent& intruder, const IsolationPages& pages) {
    owner.tab = co_await owner.open(pages.origin());
    intruder.tab = co_await intruder.open(pages.origin());
    Stage stage{.loop = loop,
                .pages = pages,
                .owner = owner,
                .intruder = intruder,
                .directory = options.session.working_directory};
    std::vector<Check> checks;
    for (const IsolationRow& row : isolation_rows())
        checks.push_back(judge(row, co_await as_result(row.probe(stage, row)), options.pool.isolation));
    co_return checks;
}

Check cannot_begin(const Error& error) {
    return {Outcome::Failed, "isolation", error.message,
            error.hint.empty() ? "Run troupe doctor to see what is missing." : error.hint, error.details};
}

}  // namespace

std::vector<Check> examine_isolation(IsolationOptions given, Log& log) {
    Loop loop(1);
    Directory directory;
    session::SessionsOptions options = for_checks(std::move(given.sessions), directory.path());
    auto pages = IsolationPages::start(loop, log);
    if (!pages) return {cannot_begin(pages.error())};
    auto launch = [&](engine::LaunchOptions launching) { return given.launch(loop, std::move(launching)); };
    session::Sessions sessions(loop, options, launch, log);
    tools::Registry registry;
    Agent owner("owner", registry), intruder("intruder", registry);
    auto session_of = [&](const tools::Caller& caller) {
        bool is_owner = given.broken || caller.connection == owner.caller().connection;
        const Agent& whose = is_owner ? owner : intruder;
        return sessions.session({"connection " + whose.caller().connection, ""},
                                is_owner ? owner_setup() : session::SessionSetup{});
    };
    tools::register_tools(registry, {}, {.sessions = session_of, .session_param = {.tab_ids = true}});

    std::vector<Check> checks{
        {Outcome::Ok, "isolation", std::string(name_of(options.pool.isolation)) + ", two sessions"}};
    Running running =
        start(run_rows(loop, options, owner, intruder, **pages), [&](Result<std::vector<Check>> found) {
            if (found)
                checks.insert(checks.end(), found->begin(), found->end());
            else
                checks.push_back(cannot_begin(found.error()));
            loop.stop();
        });
    if (!running.done()) loop.run();
    loop.restart();
    Running closing = start(sessions.close_all(), [&](Result<void>) { loop.stop(); });
    if (!closing.done()) loop.run_for(kGoodbye);
    return checks;
}

}  // namespace doctor
