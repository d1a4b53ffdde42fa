// Full disks, lost directories, damaged files, clocks set back: the store keeps accepting, says so, and
// recovers.
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/database_files.h"
#include "tests/store/fixture.h"
#include "util/files.h"
#include "util/spawn.h"

using namespace std::chrono_literals;
using testing::HasSubstr;

namespace store {
namespace {

// No file of this process may grow beyond a size while this lives, as on a disk that is full.
class FullDisk {
public:
    explicit FullDisk(std::uintmax_t size) {
        // Exceeding the limit would end the process.
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit{size, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int);
};

struct StoreInTrouble : StoreTest {
    std::vector<std::filesystem::path> set_aside_files() {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(directory)) {
            if (entry.path().string().find(".damaged-") != std::string::npos) found.push_back(entry.path());
        }
        return found;
    }
    void overwrite(std::streamoff from, std::size_t count) {
        std::fstream file(options.path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(from);
        file << random_bytes(count);
    }
};

}  // namespace

TEST_F(StoreInTrouble, ADiskThatIsFullDelaysRecordsAndLosesNone) {
    std::vector<Health> changes;
    options.on_health_change = [&](const Health& health) { changes.push_back(health); };
    open();
    std::string early = call("s1", page(1));
    settle();
    std::string late;
    {
        // Room for the index that SQLite keeps beside the database for readers, not for what comes now.
        FullDisk full(std::max<std::uintmax_t>(std::filesystem::file_size(options.path), 100'000));
        late = call("s1", {.result = random_bytes(400'000)});
        until_degraded();
        EXPECT_THAT(store->health().reason, HasSubstr("database failed"));
        EXPECT_GT(store->health().pending, 0u);
        // What is there can be read meanwhile; what is not yet says why.
        EXPECT_EQ(get(store->snapshot(early)), page(1));
        Result<Call> waiting = wait(store->call(late));
        ASSERT_FALSE(waiting);
        EXPECT_THAT(waiting.error().message, HasSubstr("not being written right now"));
    }
    until_ok();
    EXPECT_EQ(get(store->call(late)).result.size(), 400'000u);
    EXPECT_EQ(store->health().dropped, 0u);
    // The writer's thread posts the change after it has made it.
    fakes::run_until(loop, [&] { return !changes.empty() && changes.back().state == Health::State::Ok; });
    EXPECT_EQ(changes.front().state, Health::State::Degraded);
}

TEST_F(StoreInTrouble, BeyondWhatMemoryMayHoldRecordsAreDroppedAndCounted) {
    options.max_pending_bytes = 1 << 20;
    open();
    settle();
    {
        FullDisk full(std::filesystem::file_size(options.path));
        for (int i = 0; i < 100; ++i) call("s1", {.result = random_bytes(100'000)});
        until_degraded();
        EXPECT_GT(store->health().dropped, 80u);
        EXPECT_LE(store->health().pending_bytes, options.max_pending_bytes);
    }
    until_ok();
    std::string ref = call("s1", page(1));
    EXPECT_EQ(get(store->snapshot(ref)), page(1));
}

TEST_F(StoreInTrouble, MoreThanTheDiskTakesIsDroppedAndSaidUntilThereIsRoomAgain) {
    std::vector<Health> changes;
    options.on_health_change = [&](const Health& health) { changes.push_back(health); };
    options.max_pending_bytes = 1 << 20;
    options.commit_interval = 1h;
    open();
    for (int i = 0; i < 100; ++i) call("s1", {.result = std::string(20'000, 'x')});
    EXPECT_EQ(store->health().state, Health::State::Degraded);
    EXPECT_THAT(store->health().reason, HasSubstr("More comes in than the disk takes"));
    EXPECT_GT(store->health().dropped, 0u);
    EXPECT_LE(store->health().pending_bytes, options.max_pending_bytes);
    settle();
    until_ok();
    fakes::run_until(loop, [&] { return changes.size() == 2; });
}

TEST_F(StoreInTrouble, NobodyWaitsForADiskThatIsFull) {
    open();
    settle();
    FullDisk full(std::filesystem::file_size(options.path));
    store->record(RequestRecord{"ref", "s1", "browser_click", "{}"});
    EXPECT_FALSE(wait(store->record_durably({.ref_id = "ref", .result = random_bytes(400'000)})));
    until_degraded();
    EXPECT_FALSE(wait(store->save_state("s1", "cookies")));
}

TEST_F(StoreInTrouble, EndsSoonWhenTheDiskStaysFull) {
    open();
    settle();
    FullDisk full(std::filesystem::file_size(options.path));
    call("s1", {.result = random_bytes(400'000)});
    store.reset();
}

TEST_F(StoreInTrouble, ADirectoryThatCannotBeWrittenToIsNoReasonToFail) {
    // Not even root can make a file there.
    options.path = "/proc/self/record.db";
    open();
    EXPECT_EQ(store->health().state, Health::State::Degraded);
    EXPECT_THAT(store->health().reason, HasSubstr("Cannot create"));
    std::string ref = call("s1", page(1));
    Result<Call> read = wait(store->call(ref));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("not being written right now"));
}

TEST_F(StoreInTrouble, ADirectoryThatComesBackIsUsedAgain) {
    options.path = directory / "mount" / "record.db";
    std::ofstream(directory / "mount") << "in the way";
    open();
    EXPECT_EQ(store->health().state, Health::State::Degraded);
    std::string ref = call("s1", page(1));
    std::filesystem::remove(directory / "mount");
    until_ok();
    EXPECT_EQ(get(store->snapshot(ref)), page(1));
    EXPECT_EQ(store->health().dropped, 0u);
}

TEST_F(StoreInTrouble, AFileThatIsNoDatabaseIsSetAsideAndNeverOverwritten) {
    std::ofstream(options.path) << std::string(10'000, 'x');
    open();
    EXPECT_EQ(store->health().state, Health::State::Ok);
    std::string ref = call("s1", page(1));
    EXPECT_EQ(get(store->snapshot(ref)), page(1));
    std::filesystem::path aside = store->health().set_aside;
    ASSERT_EQ(set_aside_files().size(), 1u);
    EXPECT_EQ(set_aside_files()[0], aside);
    EXPECT_EQ(std::filesystem::file_size(aside), 10'000u);

    // A second one gets another name.
    store.reset();
    std::ofstream(options.path) << std::string(20'000, 'y');
    open();
    EXPECT_EQ(std::filesystem::file_size(aside), 10'000u);
    EXPECT_NE(store->health().set_aside, aside);
}

TEST_F(StoreInTrouble, DamageFoundWhileRunningIsSetAsideAndRecordingGoesOn) {
    open();
    for (int i = 0; i < 50; ++i) call("s1", {.result = random_bytes(2'000)});
    open();  // all of it is in the file now, none in the log
    overwrite(4096, std::filesystem::file_size(options.path) - 4096);
    std::string ref = call("s1", page(1));
    fakes::run_until(loop, [&] { return !store->health().set_aside.empty(); });
    until_ok();
    EXPECT_EQ(get(store->snapshot(ref)), page(1));
    EXPECT_FALSE(set_aside_files().empty());
    store.reset();
    auto db = open_for_reading(options.path);
    EXPECT_EQ((*db)->number("SELECT integrity_check = 'ok' FROM pragma_integrity_check(1)").value_or(0), 1);
}

TEST_F(StoreInTrouble, DamageThatOnlyAReaderMeetsIsLookedInto) {
    open();
    std::string ref = call("s1", {.result = random_bytes(200'000)});
    for (int i = 0; i < 100; ++i) call("s1", page(i));
    open();
    // Everything but the first pages: the schema stays readable, most else does not.
    overwrite(16 * 4096, std::filesystem::file_size(options.path) - 16 * 4096);
    EXPECT_FALSE(wait(store->call(ref)));
    fakes::run_until(loop, [&] { return !store->health().set_aside.empty(); });
    until_ok();
}

TEST_F(StoreInTrouble, ADatabaseThatWasRemovedIsMadeAnew) {
    open();
    call("s1", page(1));
    settle();
    std::filesystem::remove(options.path);
    until_degraded();
    until_ok();
    std::string ref = call("s1", page(2));
    EXPECT_EQ(get(store->snapshot(ref)), page(2));
    EXPECT_TRUE(std::filesystem::exists(options.path));
}

TEST_F(StoreInTrouble, AClockSetBackChangesNeitherOrderNorCursors) {
    open();
    std::string a = call("s1", page(1));
    get(store->read_content({.reader = "r", .ref_id = a}));
    now -= 24h;
    std::string b = call("s1", page(2));
    auto calls = get(store->history({}));
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].ref_id, b);
    EXPECT_EQ(get(store->session("s1"))->last_activity, now + 24h);
    get(store->read_content({.reader = "r", .ref_id = b}));
    EXPECT_EQ(get(store->last_cursor("r", "s1 http://a/"))->ref_id, b);
}

TEST_F(StoreInTrouble, AServerOfAnEarlierVersionSharesItWithNobody) {
    std::string file = options.path.string() + ".lock";
    Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
    ASSERT_EQ(::write(lock.get(), "1234\n", 5), 5);
    auto second = Store::open(loop, options);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::ResourceExhausted);
    EXPECT_THAT(second.error().message, HasSubstr("in use by process 1234"));
    lock = Descriptor();
    EXPECT_TRUE(try_open());
}

TEST_F(StoreInTrouble, AServerOfAnEarlierVersionLeavesItAloneWhileThisOneHasIt) {
    open();
    std::string file = options.path.string() + ".lock";
    Descriptor lock(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_NE(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
    store.reset();
    EXPECT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
}

TEST_F(StoreInTrouble, ALeaseGoesWithItsHolderHoweverItDies) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    pid_t child = ::fork();
    if (child == 0) {
        Loop child_loop;
        auto held = Store::open(child_loop, options);
        auto lease = held ? (*held)->lease("name ann") : nullptr;
        char byte = lease ? 'y' : 'n';
        if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
        ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ASSERT_EQ(byte, 'y');
    EXPECT_TRUE(try_open()) << "the record is for both";
    EXPECT_FALSE(store->lease("name ann"));
    EXPECT_EQ(store->lease_holder("name ann"), child);
    std::string ref = call("s1", page(1));
    EXPECT_EQ(get(store->snapshot(ref)), page(1));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(store->lease("name ann"));
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_F(StoreInTrouble, ARecordOfANewerTroupeIsLeftAlone) {
    open();
    store.reset();
    {
        auto db = Database::open(options.path, Database::Access::ReadWrite);
        ASSERT_TRUE((*db)->execute("PRAGMA user_version = 999"));
    }
    Result<void> opened = try_open();
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr("newer Troupe"));
    EXPECT_TRUE(set_aside_files().empty());
}

TEST_F(StoreInTrouble, AnotherProgramsDatabaseIsLeftAlone) {
    {
        auto db = Database::open(options.path, Database::Access::ReadWrite);
        ASSERT_TRUE((*db)->execute("CREATE TABLE theirs (x)"));
    }
    Result<void> opened = try_open();
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr("another program's"));
}

TEST_F(StoreInTrouble, AFileThatWasNamedIsLookedAtBeforeAnythingIsWritten) {
    EXPECT_TRUE(check_is_record(options.path));
    std::ofstream(options.path) << "# Notes\n\nNot a record at all.\n";
    EXPECT_THAT(check_is_record(options.path).error().message, HasSubstr("is no record"));

    std::filesystem::remove(options.path);
    {
        auto db = Database::open(options.path, Database::Access::ReadWrite);
        ASSERT_TRUE((*db)->execute("CREATE TABLE theirs (x)"));
    }
    std::string before = read_file(options.path).value();
    EXPECT_THAT(check_is_record(options.path).error().message, HasSubstr("another program's"));
    EXPECT_EQ(read_file(options.path).value(), before);
    std::size_t files = 0;
    for (const auto& each : std::filesystem::directory_iterator(options.path.parent_path()))
        files += each.path().filename().string().starts_with(options.path.filename().string());
    EXPECT_EQ(files, 1u) << "nothing is left beside it";

    std::filesystem::remove(options.path);
    open();
    store.reset();
    EXPECT_TRUE(check_is_record(options.path));
    overwrite(0, 100);
    EXPECT_TRUE(check_is_record(options.path)) << "a damaged record is set aside";
}

}  // namespace store
