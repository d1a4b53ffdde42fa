// A store in a directory of its own.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store.h"
#include "tests/fakes/wait.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace store {

// A clock that is moved by hand, and read by other threads.
class HandClock {
public:
    operator Time() const { return Time(std::chrono::milliseconds(milliseconds_)); }
    void operator+=(std::chrono::milliseconds span) { milliseconds_ += span.count(); }
    void operator-=(std::chrono::milliseconds span) { milliseconds_ -= span.count(); }
    Time operator+(std::chrono::milliseconds span) const { return Time(*this) + span; }
    Time operator-(std::chrono::milliseconds span) const { return Time(*this) - span; }

private:
    std::atomic<std::int64_t> milliseconds_ =
        Time(std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}).time_since_epoch().count();
};

class StoreTest : public testing::Test {
protected:
    StoreTest() {
        std::string name = (std::filesystem::temp_directory_path() / "troupe-store-XXXXXX").string();
        directory = ::mkdtemp(name.data());
        options.path = directory / "record.db";
        // The clock stands still unless a test moves it.
        options.now = [this] { return Time(now); };
    }
    ~StoreTest() override {
        store.reset();
        std::filesystem::remove_all(directory);
    }

    Result<void> try_open() {
        store.reset();
        Result<std::unique_ptr<Store>> opened = Store::open(loop, options);
        if (!opened) return opened.error();
        store = std::move(*opened);
        return ok();
    }
    void open() {
        Result<void> opened = try_open();
        ASSERT_TRUE(opened) << opened.error().to_string();
    }

    template <class T>
    Result<T> wait(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    // The task's value; a test fails when there is none.
    template <class T>
    T get(Task<T> task) {
        Result<T> result = wait(std::move(task));
        EXPECT_TRUE(result) << result.error().to_string();
        return result ? std::move(*result) : T();
    }
    // Runs the loop until the store's health is so.
    template <class Predicate>
    void until_health(Predicate predicate) {
        fakes::run_until(loop, [&] { return predicate(store->health()); });
    }
    void until_degraded() {
        until_health([](const Health& health) { return health.state == Health::State::Degraded; });
    }
    void until_ok() {
        until_health(
            [](const Health& health) { return health.state == Health::State::Ok && health.pending == 0; });
    }
    // Everything recorded so far is committed.
    void settle() { get(store->sessions()); }

    // Records a request and its answer; gives the ref.
    std::string call(const std::string& session, ResponseRecord response, std::string tool = "browser_click",
                     std::string params = R"({"target":"e2"})") {
        std::string ref = random_uuid();
        store->record(RequestRecord{ref, session, std::move(tool), std::move(params)});
        response.ref_id = ref;
        store->record(std::move(response));
        return ref;
    }
    std::string call(const std::string& session, std::string snapshot) {
        return call(
            session,
            ResponseRecord{.result = "done", .page_snapshot = std::move(snapshot), .page_url = "http://a/"});
    }

    Loop loop;
    HandClock now;
    std::filesystem::path directory;
    Options options;
    std::unique_ptr<Store> store;
};

// A page of about 20 KB, in which something differs from one `version` to the next.
inline std::string page(int version, int lines = 400) {
    std::string text = "- main [ref=e1]:\n";
    for (std::int64_t i = 0; i < lines; ++i) {
        text += "  - listitem [ref=e" + std::to_string(i + 2) + "]: Product " +
                std::to_string(i * 7919 % 1000) + " costs " + std::to_string(i * 104729 % 5000) + "\n";
    }
    return text + "  - status [ref=e9999]: \"Version " + std::to_string(version) + "\"\n";
}

}  // namespace store
