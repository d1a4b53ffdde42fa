#include "browsers/cpu_arbiter.h"

#include <algorithm>
#include <map>
#include <set>

namespace browsers {
namespace {

using Clock = Deadline::Clock;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Shares of the time: from kWild on, a page only computes; below kCalm, it has stopped.
constexpr double kWild = 0.85, kCalm = 0.6;
// From this CPU time on, a page counts as busy.
constexpr auto kAtWork = 1ms;
// Each process costs one file to read.
constexpr auto kLookPerProcess = 4ms;
// Max depth of a browser's zygotes below it.
constexpr int kDeepest = 3;

bool is_of_type(const std::string& command, std::string_view type) {
    return command.contains("--type=" + std::string(type) + " ");
}

enum class Kind { Page, Other, Unknown };

// A process that was just forked looks like its parent.
Kind kind_of(const std::string& command) {
    if (is_of_type(command, "renderer")) return Kind::Page;
    return is_of_type(command, "zygote") ? Kind::Unknown : Kind::Other;
}

class BrowserProcesses final : public PageProcesses {
public:
    explicit BrowserProcesses(std::function<std::vector<pid_t>()> browsers)
        : browsers_(std::move(browsers)) {}

    bool has_browser() override { return !browsers_().empty(); }
    std::vector<pid_t> pages() override {
        std::vector<pid_t> found;
        std::map<pid_t, Kind> kinds;
        for (pid_t process : started()) {
            auto known = kinds_.find(process);
            Kind kind = known == kinds_.end() ? kind_of(command_of(process)) : known->second;
            if (kind != Kind::Unknown) kinds.emplace(process, kind);
            if (kind != Kind::Other) found.push_back(process);
        }
        kinds_ = std::move(kinds);
        return found;
    }
    std::vector<pid_t> started() override {
        std::vector<pid_t> found;
        std::vector<pid_t> starters = zygotes();
        for (pid_t zygote : starters) {
            for (pid_t child : children_of(zygote)) {
                if (std::ranges::find(starters, child) == starters.end()) found.push_back(child);
            }
        }
        return found;
    }
    std::optional<Demand> demand(pid_t process) override {
        auto now = Clock::now();
        auto wanted = cpu_demand(process);
        return wanted ? std::optional(Demand{*wanted, now}) : std::nullopt;
    }
    void set_cpu_priority(pid_t process, CpuPriority priority) override {
        ::set_cpu_priority(process, priority);
    }
    void set_initial_priority(CpuPriority priority) override {
        for (pid_t zygote : zygotes()) ::set_cpu_priority(zygote, priority);
    }

private:
    // A browser forks its pages from zygotes, which it starts first.
    std::vector<pid_t> zygotes() {
        std::map<pid_t, std::vector<pid_t>> found;
        std::vector<pid_t> all;
        for (pid_t browser : browsers_()) {
            auto known = zygotes_.find(browser);
            std::vector<pid_t> its;
            // A page that was just forked may have been taken for a zygote.
            if (known != zygotes_.end() && std::ranges::all_of(known->second, is_zygote))
                its = std::move(known->second);
            else
                find_zygotes(browser, kDeepest, its);
            all.insert(all.end(), its.begin(), its.end());
            found.emplace(browser, std::move(its));
        }
        zygotes_ = std::move(found);
        return all;
    }
    static bool is_zygote(pid_t process) { return is_of_type(command_of(process), "zygote"); }
    static void find_zygotes(pid_t process, int depth, std::vector<pid_t>& found) {
        if (is_zygote(process)) found.push_back(process);
        if (depth == 0) return;
        for (pid_t child : children_of(process)) find_zygotes(child, depth - 1, found);
    }

    std::function<std::vector<pid_t>()> browsers_;
    std::map<pid_t, std::vector<pid_t>> zygotes_;  // by browser
    std::map<pid_t, Kind> kinds_;                  // of the zygotes' children, once known
};

}  // namespace

std::unique_ptr<PageProcesses> page_processes(std::function<std::vector<pid_t>()> browsers) {
    return std::make_unique<BrowserProcesses>(std::move(browsers));
}

struct CpuArbiter::State {
    struct Page {
        PageProcesses::Demand demand;
        std::chrono::nanoseconds just_wanted{0};  // CPU time since the last check
        double share = 0;                         // of the time since then
    };

    State(Loop& given, std::unique_ptr<PageProcesses> what, CpuArbiterOptions wanted, Log& where)
        : loop(given), processes(std::move(what)), options(wanted), log(where) {}

    void read() {
        std::map<pid_t, Page> now;
        for (pid_t process : processes->pages()) {
            auto demand = processes->demand(process);
            if (!demand) continue;
            Page page{*demand};
            if (auto before = pages.find(process); before != pages.end()) {
                page.just_wanted = demand->wanted - before->second.demand.wanted;
                std::chrono::duration<double, std::nano> span = demand->at - before->second.demand.at;
                page.share = static_cast<double>(page.just_wanted.count()) / std::max(span.count(), 1.0);
            } else if (openings.empty() && !confined.contains(process)) {
                // The kernel may leave processes out of its list: finds those that were missed after opening.
                processes->set_cpu_priority(process, CpuPriority::Normal);
            }
            now.emplace(process, page);
        }
        pages = std::move(now);
        std::erase_if(confined, [this](pid_t process) { return !processes->demand(process); });
    }
    std::size_t busy() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(pages, [](const auto& page) { return page.second.just_wanted > kAtWork; }));
    }
    // Pages that are being opened wait for a CPU because of their low priority.
    bool is_being_opened(pid_t process) const { return !openings.empty() && !there_before.contains(process); }
    // Confines a page that computes while others are busy, until it stops.
    void judge() {
        bool others = busy() > 1;
        for (const auto& [process, page] : pages) {
            if (page.share < kCalm && confined.erase(process) > 0) {
                processes->set_cpu_priority(process, CpuPriority::Normal);
                log.debug("a page computes no more", {{"process", process}});
            } else if (page.share >= kWild && others && !is_being_opened(process) &&
                       confined.size() < options.spare_processors && confined.insert(process).second) {
                processes->set_cpu_priority(process, CpuPriority::OffFirstCpu);
                log.debug("a page computes: one processor is left to others", {{"process", process}});
            }
        }
    }
    void look() {
        read();
        if (pages.size() > 1) {
            judge();
        } else {
            for (pid_t process : std::exchange(confined, {}))
                processes->set_cpu_priority(process, CpuPriority::Normal);
        }
    }
    milliseconds pause() const {
        if (pages.size() < 2) return options.lone_look;
        auto interval = busy() > 0 ? options.look : options.quiet_look;
        return std::max(interval, milliseconds(kLookPerProcess * static_cast<long>(pages.size())));
    }
    void end_opening(std::uint64_t number) {
        if (openings.erase(number) == 0) return;
        if (openings.empty()) processes->set_initial_priority(CpuPriority::Normal);
        for (pid_t process : processes->started()) {
            if (!there_before.insert(process).second || confined.contains(process)) continue;
            processes->set_cpu_priority(process, CpuPriority::Normal);
        }
    }

    Loop& loop;
    std::unique_ptr<PageProcesses> processes;
    CpuArbiterOptions options;
    Log& log;
    std::map<pid_t, Page> pages = {};
    std::set<pid_t> confined = {};
    Running watching = {};
    std::map<std::uint64_t, boost::asio::steady_timer> openings = {};
    std::uint64_t last_opening = 0;
    std::set<pid_t> there_before = {};  // before the first running opening
};

namespace {

// Runs as long as there is a browser.
template <class State>
Task<> look_after(std::weak_ptr<State> weak, Loop& loop) {
    for (auto state = weak.lock(); state && state->processes->has_browser(); state = weak.lock()) {
        state->look();
        auto pause = state->pause();
        state = nullptr;
        co_await sleep_for(loop, pause);
    }
}

}  // namespace

CpuArbiter::CpuArbiter(Loop& loop, std::unique_ptr<PageProcesses> processes, CpuArbiterOptions options,
                       Log& log)
    : state_(std::make_shared<State>(loop, std::move(processes), options, log)) {}

CpuArbiter::~CpuArbiter() { state_->watching = {}; }

std::shared_ptr<void> CpuArbiter::for_opening() {
    if (state_->options.spare_processors == 0) return nullptr;
    if (state_->openings.empty()) {
        std::vector<pid_t> there = state_->processes->started();
        state_->there_before = {there.begin(), there.end()};
        state_->processes->set_initial_priority(CpuPriority::Idle);
    }
    std::uint64_t number = ++state_->last_opening;
    auto end = [weak = std::weak_ptr(state_), number](auto&&...) {
        if (auto state = weak.lock()) state->end_opening(number);
    };
    auto [it, added] = state_->openings.try_emplace(number, state_->loop, state_->options.max_opening);
    it->second.async_wait([end](boost::system::error_code error) {
        if (!error) end();
    });
    return std::shared_ptr<void>(nullptr, end);
}

void CpuArbiter::watch() {
    if (state_->options.spare_processors == 0 || !state_->watching.done()) return;
    state_->watching = start(look_after<State>(state_, state_->loop));
}

}  // namespace browsers
