// A browser context made up by a test, and a session on it whose tools can be called.
#pragma once

#include <fstream>
#include <sstream>
#include <stdlib.h>

#include "engine/browser.h"
#include "session/session.h"
#include "tests/fakes/fake_page.h"

namespace fakes {

class FakeContext final : public engine::Context {
public:
    explicit FakeContext(Loop& loop) : loop_(loop) {}

    // A page that opens by itself, as a popup does that another page opened.
    std::shared_ptr<FakePage> open_page(std::string opener = {}) {
        auto page = std::make_shared<FakePage>(loop_, "page" + std::to_string(all_.size()));
        page->opened_by = std::move(opener);
        if (prepare_page) prepare_page(*page);
        page->on_closed = [this](FakePage& closed) { close_page(closed); };
        all_.push_back(page);
        pages_.push_back(page);
        if (opened_) opened_(page);
        return page;
    }
    void close_page(FakePage& page) {
        std::erase_if(pages_, [&](const auto& each) { return each.get() == &page; });
        if (closed_) closed_(page);
    }
    void lose() {
        lost_ = true;
        if (lost_callback_) lost_callback_();
    }

    const std::vector<std::shared_ptr<engine::Page>>& pages() const override { return pages_; }
    Task<std::shared_ptr<engine::Page>> new_page(Deadline) override {
        if (while_opening) while_opening();
        co_return open_page();
    }
    // Called while a page is being opened.
    std::function<void()> while_opening;
    void on_page_opened(std::function<void(std::shared_ptr<engine::Page>)> callback) override {
        opened_ = std::move(callback);
    }
    void on_page_closed(std::function<void(engine::Page&)> callback) override {
        closed_ = std::move(callback);
    }
    void on_lost(std::function<void()> callback) override { lost_callback_ = std::move(callback); }
    bool is_lost() const override { return lost_; }
    Task<> close(Deadline) override {
        was_closed = true;
        co_return;
    }

    Task<> set_rules(std::vector<std::shared_ptr<engine::Page>> pages, engine::NetworkRules rules,
                     Deadline) override {
        for (const auto& page : pages) page_rules[page->id()] = rules;
        co_return;
    }
    std::map<std::string, engine::NetworkRules> page_rules;  // by page, those last set
    engine::ContextOptions options;                          // that it was made with

    Task<json::array> cookies(Deadline) override { co_return jar; }
    Task<> add_cookies(json::array cookies, Deadline) override {
        if (cookie_error) co_await *std::exchange(cookie_error, std::nullopt);
        for (const json::value& cookie : cookies) jar.push_back(cookie);
    }
    Task<> clear_cookies(engine::CookieFilter filter, Deadline) override {
        json::array left;
        for (const json::value& cookie : jar) {
            auto differs = [&](const char* key, const std::optional<std::string>& wanted) {
                return wanted && cookie.at(key).as_string() != *wanted;
            };
            if (differs("name", filter.name) || differs("domain", filter.domain) ||
                differs("path", filter.path))
                left.push_back(cookie);
        }
        jar = std::move(left);
        co_return;
    }
    Task<json::value> storage_state(Deadline) override { co_return state; }
    Task<> set_storage_state(json::value given, Deadline) override {
        state = std::move(given);
        co_return;
    }
    Task<json::value> save_state(Reach reach, Deadline) override {
        saved_reaches.push_back(reach);
        co_return saved_state;
    }
    Task<> restore_state(json::value given, Deadline) override {
        restored_state = std::move(given);
        if (restore_error) co_await *std::exchange(restore_error, std::nullopt);
    }
    Task<> set_offline(bool given, Deadline) override {
        offline = given;
        co_return;
    }
    Task<> set_throttling(engine::Throttling given, Deadline) override {
        throttling = given;
        co_return;
    }
    const std::vector<engine::Route>& routes() const override { return route_list; }
    Task<> set_routes(std::vector<engine::Route> routes, Deadline) override {
        if (route_error) co_await *std::exchange(route_error, std::nullopt);
        route_list = std::move(routes);
    }

    FakePage& page(std::size_t index) { return *all_.at(index); }
    bool was_closed = false;
    json::array jar;
    json::value state;
    bool offline = false;
    engine::Throttling throttling;
    std::vector<engine::Route> route_list;
    std::optional<Error> cookie_error, route_error, restore_error;
    std::function<void(FakePage&)> prepare_page;  // before anybody has it
    json::object saved_state;
    std::vector<Reach> saved_reaches;
    json::value restored_state;

private:
    Loop& loop_;
    std::vector<std::shared_ptr<FakePage>> all_;  // also those that were closed
    std::vector<std::shared_ptr<engine::Page>> pages_;
    std::function<void(std::shared_ptr<engine::Page>)> opened_;
    std::function<void(engine::Page&)> closed_;
    std::function<void()> lost_callback_;
    bool lost_ = false;
};

// A directory of the test's own, gone afterwards.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "troupe-test-XXXXXX").string();
        path_ = std::filesystem::canonical(::mkdtemp(pattern.data()));
    }
    ~TemporaryDirectory() {
        std::error_code gone;
        std::filesystem::remove_all(path_, gone);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string read(const std::filesystem::path& file) const {
        std::ifstream stream(path_ / file, std::ios::binary);
        std::ostringstream text;
        text << stream.rdbuf();
        return text.str();
    }
    void write(const std::filesystem::path& file, std::string_view text) const {
        std::filesystem::create_directories((path_ / file).parent_path());
        std::ofstream(path_ / file, std::ios::binary) << text;
    }
    bool has(const std::filesystem::path& file) const { return std::filesystem::exists(path_ / file); }

private:
    std::filesystem::path path_;
};

// A moment that file names are made from: 2026-03-04T05-06-07-089Z.
inline constexpr std::chrono::system_clock::time_point kNow{std::chrono::milliseconds(1'772'600'767'089)};

// A session in a directory of its own, with one blank page in its browser.
class FakeBrowser {
public:
    explicit FakeBrowser(session::SessionOptions options = {}) {
        options.working_directory = directory.path();
        options.now = [this] { return now; };
        session = session::Session::create(loop, std::move(options),
                                           [this](const session::Workspace&) { return open(); });
    }

    FakeContext& context() { return *contexts.back(); }
    // The first page of the newest context.
    FakePage& page() {
        ensure_context();
        return context().page(0);
    }
    // A context for the session to find, when it has none yet.
    void ensure_context() {
        if (!contexts.empty() && !context().is_lost() && !context().was_closed) return;
        contexts.push_back(std::make_shared<FakeContext>(loop));
        context().open_page();
        fresh_ = true;
    }

    Loop loop;
    TemporaryDirectory directory;
    std::chrono::system_clock::time_point now = kNow;
    std::vector<std::shared_ptr<FakeContext>> contexts;
    std::optional<Error> open_error;
    std::shared_ptr<session::Session> session;

private:
    Task<std::shared_ptr<engine::Context>> open() {
        if (open_error) co_await *std::exchange(open_error, std::nullopt);
        if (!std::exchange(fresh_, false)) {
            ensure_context();
            fresh_ = false;
        }
        co_return contexts.back();
    }

    bool fresh_ = false;
};

}  // namespace fakes
