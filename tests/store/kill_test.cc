// A server that is killed at any moment: what it recorded 100 ms before is there, to the byte.
#include <csignal>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "store/database.h"
#include "store/database_files.h"
#include "tests/store/fixture.h"

using namespace std::chrono_literals;

namespace store {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 20;
constexpr int kMaxCalls = 20'000;

// Shared with the child, which writes down what it was told is recorded.
struct Acknowledged {
    std::atomic<int> count;
    std::atomic<Clock::rep> latest;  // by how much a thread that only sleeps was woken too late
    Clock::rep at[kMaxCalls];
};

std::string ref_of(int round, int number) {
    return "ref-" + std::to_string(round) + "-" + std::to_string(number);
}
// Everything about a call follows from its number.
std::string snapshot_of(int round, int number) { return page(round * kMaxCalls + number, 60 + number % 7); }
std::string result_of(int round, int number) {
    return number % 10 == 0 ? hex_encode(sha256(ref_of(round, number)))
                            : "{\"text\":\"" + snapshot_of(round, number) + "\"}";
}

[[noreturn]] void record_until_killed(const Options& options, int round, Acknowledged& done) {
    Loop loop;
    auto store = Store::open(loop, options);
    if (!store) ::_exit(1);
    // A log begins with a flush, which takes as long as the disk likes.
    if (!fakes::run_task(loop, (*store)->save_state("s0", "state"))) ::_exit(1);
    // On a machine that is too busy to run anybody in time, the promise cannot be kept: how late is it?
    std::thread([&done] {
        for (;;) {
            auto due = Clock::now() + 5ms;
            std::this_thread::sleep_until(due);
            done.latest = std::max<Clock::rep>(done.latest, (Clock::now() - due).count());
        }
    }).detach();
    for (int i = 0; i < kMaxCalls; ++i) {
        std::string ref = ref_of(round, i), session = "s" + std::to_string(i % 8);
        (*store)->record(RequestRecord{ref, session, "browser_click", "{\"n\":" + std::to_string(i) + "}"});
        (*store)->record(ResponseRecord{.ref_id = ref,
                                        .result = result_of(round, i),
                                        .page_snapshot = snapshot_of(round, i),
                                        .console_logs = {{Level::Error, "message of " + ref}},
                                        .page_url = "http://a/" + std::to_string(i % 3)});
        (*store)->advance({.reader = "r", .ref_id = ref, .page_key = "page", .cursor_position = i});
        done.at[i] = Clock::now().time_since_epoch().count();
        done.count.store(i + 1, std::memory_order_release);
        // About 1,000 calls a second, in bursts of uneven length.
        if (i % (1 + round % 5) == 0) ::usleep(1000);
    }
    ::pause();
    ::_exit(0);
}

struct KillTest : StoreTest {
    KillTest() {
        void* memory =
            ::mmap(nullptr, sizeof(Acknowledged), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        done = new (memory) Acknowledged{};
        options.now = Options{}.now;
    }
    ~KillTest() override { ::munmap(done, sizeof(Acknowledged)); }

    // 100 ms, and what a machine adds that is too busy to run anybody in time.
    Clock::duration promised() const { return 100ms + 10 * Clock::duration(done->latest.load()); }
    Clock::time_point acknowledged(int number) const {
        return Clock::time_point(Clock::duration(done->at[number]));
    }

    // How many calls were acknowledged so long before the kill that they must be there.
    int run_and_kill(int round, std::chrono::milliseconds after) {
        done->count = 0;
        done->latest = 0;
        pid_t child = ::fork();
        if (child == 0) record_until_killed(options, round, *done);
        Deadline deadline = Deadline::in(20s);
        while (done->count == 0 && !deadline.has_passed()) ::usleep(500);
        ::usleep(static_cast<useconds_t>(std::chrono::microseconds(after).count()));
        while (Clock::now() < acknowledged(0) + promised() + 20ms && !deadline.has_passed()) ::usleep(500);
        auto killed_at = Clock::now();
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        int safe = 0;
        while (safe < done->count && acknowledged(safe) < killed_at - promised()) ++safe;
        return safe;
    }

    Acknowledged* done;
};

}  // namespace

TEST_F(KillTest, LosesNothingThatWasRecorded100MillisecondsBefore) {
    std::mt19937 random(::getpid());
    int checked = 0;
    for (int round = 0; round < kRounds; ++round) {
        int safe = run_and_kill(round, std::chrono::milliseconds(100 + random() % 250));
        {
            auto db = Database::open(options.path, Database::Access::ReadWrite);
            ASSERT_TRUE(db);
            EXPECT_EQ(
                (*db)->number("SELECT integrity_check = 'ok' FROM pragma_integrity_check(1)").value_or(0), 1);
        }
        open();
        ASSERT_TRUE(store->health().set_aside.empty());
        for (int i = 0; i < safe; ++i) {
            Result<Call> read = wait(store->call(ref_of(round, i)));
            ASSERT_TRUE(read) << "round " << round << ", call " << i << " of " << safe << ": "
                              << read.error().message;
            ASSERT_EQ(read->page_snapshot, snapshot_of(round, i));
            ASSERT_EQ(read->result, result_of(round, i));
            ASSERT_EQ(read->summary.console_error_count, 1);
            ASSERT_TRUE(get(store->cursor("r", ref_of(round, i))));
        }
        checked += safe;
        store.reset();
    }
    EXPECT_GT(checked, kRounds);
}

}  // namespace store
