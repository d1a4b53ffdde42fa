#include "session/courtesy.h"

#include <algorithm>
#include <map>
#include <set>

namespace session {
namespace {

using Clock = Deadline::Clock;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Of the time: from where on a page that wants a processor does nothing but compute, and below which it has
// stopped.
constexpr double kWild = 0.85, kCalm = 0.6;
// From where on one does something at all.
constexpr auto kAtWork = 1ms;
// Each process costs a file to read.
constexpr auto kLookPerProcess = 4ms;
// Between a browser and the processes that start others.
constexpr int kDeepest = 3;

bool is_of_type(const std::string& command, std::string_view type) {
    return command.contains("--type=" + std::string(type) + " ");
}

enum class Kind { Page, Other, Unknown };

// One that was only just started looks like what started it.
Kind kind_of(const std::string& command) {
    if (is_of_type(command, "renderer")) return Kind::Page;
    return is_of_type(command, "zygote") ? Kind::Unknown : Kind::Other;
}

class BrowserProcesses final : public PageProcesses {
public:
    explicit BrowserProcesses(std::function<std::vector<pid_t>()> browsers)
        : browsers_(std::move(browsers)) {}

    std::vector<pid_t> running() override {
        std::vector<pid_t> pages;
        std::map<pid_t, Kind> kinds;
        std::vector<pid_t> starters = zygotes();
        for (pid_t zygote : starters) {
            for (pid_t child : children_of(zygote)) {
                if (std::ranges::find(starters, child) != starters.end()) continue;
                auto known = kinds_.find(child);
                Kind kind = known == kinds_.end() ? kind_of(command_of(child)) : known->second;
                if (kind != Kind::Unknown) kinds.emplace(child, kind);
                if (kind != Kind::Other) pages.push_back(child);
            }
        }
        kinds_ = std::move(kinds);
        return pages;
    }
    std::optional<std::chrono::nanoseconds> processor_demand(pid_t process) override {
        return ::processor_demand(process);
    }
    void set_claim(pid_t process, Claim claim) override { ::set_claim(process, claim); }
    void set_first_claim(Claim claim) override {
        for (pid_t zygote : zygotes()) ::set_claim(zygote, claim);
    }

private:
    // A browser's pages are forked from processes that it started first.
    std::vector<pid_t> zygotes() {
        std::map<pid_t, std::vector<pid_t>> found;
        std::vector<pid_t> all;
        for (pid_t browser : browsers_()) {
            auto known = zygotes_.extract(browser);
            std::vector<pid_t> its = known ? std::move(known.mapped()) : std::vector<pid_t>();
            if (!known) find_zygotes(browser, kDeepest, its);
            all.insert(all.end(), its.begin(), its.end());
            found.emplace(browser, std::move(its));
        }
        zygotes_ = std::move(found);
        return all;
    }
    static void find_zygotes(pid_t process, int depth, std::vector<pid_t>& found) {
        if (is_of_type(command_of(process), "zygote")) found.push_back(process);
        if (depth == 0) return;
        for (pid_t child : children_of(process)) find_zygotes(child, depth - 1, found);
    }

    std::function<std::vector<pid_t>()> browsers_;
    std::map<pid_t, std::vector<pid_t>> zygotes_;  // by browser
    std::map<pid_t, Kind> kinds_;                  // of what they started, once it is known
};

}  // namespace

std::unique_ptr<PageProcesses> page_processes(std::function<std::vector<pid_t>()> browsers) {
    return std::make_unique<BrowserProcesses>(std::move(browsers));
}

struct Courtesy::State {
    struct Page {
        std::chrono::nanoseconds wanted;  // a processor, since it began
        Clock::time_point read = Clock::now();
        std::chrono::nanoseconds just_wanted{0};  // since it was read before
        double share = 0;                         // that is, of one processor
    };

    State(Loop& given, std::unique_ptr<PageProcesses> what, CourtesyOptions wanted, Log& where)
        : loop(given), processes(std::move(what)), options(wanted), log(where) {}

    // Gives back how many pages there are.
    std::size_t read() {
        std::map<pid_t, Page> now;
        for (pid_t process : processes->running()) {
            auto wanted = processes->processor_demand(process);
            if (!wanted) continue;
            Page page{*wanted};
            if (auto before = pages.find(process); before != pages.end()) {
                page.just_wanted = page.wanted - before->second.wanted;
                std::chrono::duration<double, std::nano> span = page.read - before->second.read;
                page.share = static_cast<double>(page.just_wanted.count()) / std::max(span.count(), 1.0);
            }
            now.emplace(process, page);
        }
        pages = std::move(now);
        std::erase_if(confined, [this](pid_t process) { return !pages.contains(process); });
        return pages.size();
    }
    std::size_t busy() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(pages, [](const auto& page) { return page.second.just_wanted > kAtWork; }));
    }
    // Whoever computes is confined while others do something, too; until it stops.
    void judge() {
        bool others = busy() > 1;
        for (const auto& [process, page] : pages) {
            if (page.share < kCalm && confined.erase(process) > 0) {
                processes->set_claim(process, Claim::Full);
                log.debug("a page computes no more", {{"process", process}});
            } else if (page.share >= kWild && others && confined.size() < options.spare_processors &&
                       confined.insert(process).second) {
                processes->set_claim(process, Claim::Spare);
                log.debug("a page computes: one processor is left to others", {{"process", process}});
            }
        }
    }
    void release_all() {
        for (pid_t process : std::exchange(confined, {})) processes->set_claim(process, Claim::Full);
    }
    milliseconds pause() const {
        auto least = busy() > 0 ? options.look : options.quiet_look;
        return std::max(least, milliseconds(kLookPerProcess * static_cast<long>(pages.size())));
    }
    void end_opening(std::uint64_t number) {
        if (openings.erase(number) == 0) return;
        if (openings.empty()) processes->set_first_claim(Claim::Full);
        for (pid_t process : processes->running()) {
            if (!there_before.insert(process).second || confined.contains(process)) continue;
            processes->set_claim(process, Claim::Full);
        }
    }

    Loop& loop;
    std::unique_ptr<PageProcesses> processes;
    CourtesyOptions options;
    Log& log;
    std::map<pid_t, Page> pages = {};
    std::set<pid_t> confined = {};
    Running watching = {};
    std::map<std::uint64_t, boost::asio::steady_timer> openings = {};
    std::uint64_t last_opening = 0;
    std::set<pid_t> there_before = {};  // the first opening under way
};

namespace {

// For as long as there are two pages or more.
template <class State>
Task<> look_after(std::weak_ptr<State> weak, Loop& loop) {
    for (auto state = weak.lock(); state && state->read() > 1; state = weak.lock()) {
        state->judge();
        auto pause = state->pause();
        state = nullptr;
        co_await sleep_for(loop, pause);
    }
    if (auto state = weak.lock()) state->release_all();
}

}  // namespace

Courtesy::Courtesy(Loop& loop, std::unique_ptr<PageProcesses> processes, CourtesyOptions options, Log& log)
    : state_(std::make_shared<State>(loop, std::move(processes), options, log)) {}

Courtesy::~Courtesy() { state_->watching = {}; }

std::shared_ptr<void> Courtesy::for_opening() {
    if (state_->options.spare_processors == 0) return nullptr;
    if (state_->openings.empty()) {
        std::vector<pid_t> there = state_->processes->running();
        state_->there_before = {there.begin(), there.end()};
        state_->processes->set_first_claim(Claim::Least);
    }
    std::uint64_t number = ++state_->last_opening;
    auto end = [weak = std::weak_ptr(state_), number](auto&&...) {
        if (auto state = weak.lock()) state->end_opening(number);
    };
    auto [it, added] = state_->openings.try_emplace(number, state_->loop, state_->options.longest_opening);
    it->second.async_wait([end](boost::system::error_code error) {
        if (!error) end();
    });
    return std::shared_ptr<void>(nullptr, end);
}

void Courtesy::watch() {
    if (state_->options.spare_processors == 0 || !state_->watching.done()) return;
    state_->watching = start(look_after<State>(state_, state_->loop));
}

}  // namespace session
