#include "store/writer.h"

#include <sys/stat.h>

#include "store/database_files.h"
#include "store/live_servers.h"
#include "store/schema.h"
#include "util/crypto.h"

namespace store {
namespace {

using namespace std::chrono_literals;

// A group is committed early when this much waits.
constexpr std::size_t kLargeGroup = 512;
constexpr std::size_t kLargeGroupBytes = 4 << 20;
constexpr auto kHousekeeping = 1s;
// Pause between two steps of removing, so that recording comes first.
constexpr auto kBetweenRemovals = 5ms;
constexpr std::chrono::milliseconds kMinBackoff = 100ms, kMaxBackoff = 2s;
// How long another server may take to make or move the file before this one goes on regardless: it may have
// been stopped in the middle.
constexpr auto kSetupTimeout = 5s;
constexpr std::string_view kSetupLock = ".setup";

struct SizeOf {
    std::size_t operator()(const SessionRecord& r) const {
        return r.session_id.size() + (r.metadata ? r.metadata->size() : 0);
    }
    std::size_t operator()(const RequestRecord& r) const {
        return r.ref_id.size() + r.session_id.size() + r.tool_name.size() + r.params.size() +
               r.request_id.size();
    }
    std::size_t operator()(const ResponseRecord& r) const {
        std::size_t size = r.ref_id.size() + r.result.size() + r.error_message.size() + r.page_url.size() +
                           r.page_title.size() + r.network.size() +
                           (r.page_snapshot ? r.page_snapshot->size() : 0);
        for (const ConsoleMessage& m : r.console_logs) size += sizeof m + m.message.size() + m.url.size();
        return size;
    }
    std::size_t operator()(const Cursor& r) const {
        return r.reader.size() + r.ref_id.size() + r.page_key.size() + r.last_snapshot_hash.size();
    }
    std::size_t operator()(const StateRecord& r) const {
        return r.session_id.size() + (r.state ? r.state->size() : 0);
    }
};

constexpr std::string_view kOverload = "More comes in than the disk takes.";

Error unavailable(std::string_view reason) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "The record is not being written right now: " + std::string(reason),
                 .hint = "What was recorded before can be read; this call may be recorded later."};
}

}  // namespace

Writer::Writer(Options options, std::function<void()> notify)
    : options_(std::move(options)), notify_(std::move(notify)), server_(random_uuid()) {}

Writer::~Writer() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    work_.notify_one();
    if (thread_.joinable()) thread_.join();
}

Result<void> Writer::start() {
    if (Result<void> opened = ensure_open(); !opened) {
        ErrorCode code = opened.error().code;
        if (code == ErrorCode::ResourceExhausted || code == ErrorCode::InvalidArgument) return opened;
        std::vector<Queued> nothing;
        cope(opened.error(), Trouble::Disk, nothing);
    }
    syncer_ = std::make_unique<Syncer>(options_.path, files_);
    thread_ = std::thread([this] { run(); });
    return ok();
}

bool Writer::push(Operation operation, Done done) {
    std::size_t bytes = sizeof(Queued) + std::visit(SizeOf(), operation);
    bool wake = false, accepted = false, overload_begins = false;
    Error refused;
    {
        std::lock_guard lock(mutex_);
        bool degraded = health_.state == Health::State::Degraded;
        if (pending_bytes_ + bytes > options_.max_pending_bytes) {
            ++health_.dropped;
            overload_begins = !std::exchange(overloaded_, true);
            refused = unavailable(degraded ? health_.reason : kOverload);
        } else {
            if (degraded) refused = unavailable(health_.reason);
            if (queue_.empty()) {
                first_queued_ = Clock::now();
                wake = true;
            }
            bool waits = done && !degraded;
            queue_.push_back({std::move(operation), bytes, waits ? std::move(done) : Done()});
            if (waits) done = nullptr;
            queued_bytes_ += bytes;
            pending_bytes_ += bytes;
            ++pending_;
            ++pushed_count_;
            accepted = true;
            hurry_ = hurry_ || waits;
            wake = wake || waits || queue_.size() == kLargeGroup || queued_bytes_ > kLargeGroupBytes;
        }
    }
    if (wake) work_.notify_one();
    if (overload_begins) notify_();
    if (done) done(refused);
    return accepted;
}

std::uint64_t Writer::pushed() const {
    std::lock_guard lock(mutex_);
    return pushed_count_;
}

Result<void> Writer::await_commit(std::uint64_t sequence) {
    std::unique_lock lock(mutex_);
    if (committed_count_ >= sequence) return ok();
    hurry_ = true;
    work_.notify_one();
    committed_.wait(lock, [&] {
        return committed_count_ >= sequence || health_.state == Health::State::Degraded || stopping_;
    });
    if (committed_count_ >= sequence) return ok();
    return unavailable(stopping_ ? "the server is ending." : health_.reason);
}

Health Writer::health() const {
    std::lock_guard lock(mutex_);
    Health health = health_;
    health.pending = pending_;
    health.pending_bytes = pending_bytes_;
    std::string failure = syncer_ ? syncer_->failure() : "";
    if (failure.empty() && overloaded_) failure = kOverload;
    if (!failure.empty() && health.reason.empty()) {
        health.state = Health::State::Degraded;
        health.reason = failure;
    }
    return health;
}

void Writer::suspect_damage() {
    {
        std::lock_guard lock(mutex_);
        suspect_ = hurry_ = true;
    }
    work_.notify_one();
}

void Writer::run() {
    std::vector<Queued> batch;
    bool stopping = false;
    // The first write to a new log waits for the disk; better now than with the first call.
    if (open_.db) touch_log(*open_.db);
    while (!stopping) {
        stopping = take(batch);
        if (Result<void> written = commit(batch); written) {
            if (!stopping) keep_house();
        }
    }
    give_up(batch);
    syncer_->stop();
    close(false);
}

// Moves the queue to `batch`, after the time in which a group gathers. True: the store is ending.
bool Writer::take(std::vector<Queued>& batch) {
    std::unique_lock lock(mutex_);
    Clock::time_point until = more_to_remove_ ? Clock::now() + kBetweenRemovals : housekeeping_at_;
    if (health_.state == Health::State::Degraded) {
        work_.wait_until(lock, retry_at_, [&] { return stopping_; });
    } else {
        work_.wait_until(lock, until, [&] { return stopping_ || hurry_ || !queue_.empty(); });
        if (!queue_.empty()) {
            work_.wait_until(lock, first_queued_ + options_.commit_interval, [&] {
                return stopping_ || hurry_ || queue_.size() >= kLargeGroup ||
                       queued_bytes_ > kLargeGroupBytes;
            });
        }
    }
    batch.insert(batch.end(), std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.end()));
    queue_.clear();
    queued_bytes_ = 0;
    hurry_ = false;
    return stopping_;
}

Result<void> Writer::open() {
    if (!lock_) {
        TRY(make_directory_of(options_.path));
        lock_ = TRY(FileLock::share(options_.path.string() + ".lock"));
    }
    join_servers();
    open_.db = TRY(open_alone());
    // A full disk does not take the update; readers find the same states without it.
    (void)update_abandoned_sessions(*open_.db, LiveServers(options_.path));
    open_.record_writer = std::make_unique<RecordWriter>(*open_.db, live_, options_.key_file, server_);
    open_.retention = std::make_unique<Retention>(*open_.db, open_.record_writer->blobs(), live_, options_);
    open_.retention->set_has_company([this] { return has_company(); });
    return ok();
}

void Writer::join_servers() {
    auto servers = SessionLeases::open(servers_file(options_.path));
    std::lock_guard lock(mutex_);
    if (!servers || servers_) return;
    servers_ = *servers;
    presence_ = SessionLeases::take(servers_, server_);
}

bool Writer::has_company() const {
    std::lock_guard lock(mutex_);
    return servers_ && servers_->has_others();
}

// One server at a time: two would make the same tables, or move a new file away as a damaged one.
Result<std::unique_ptr<Database>> Writer::open_alone() {
    auto alone = FileLock::take_within(options_.path.string() + std::string(kSetupLock), kSetupTimeout);
    Trouble trouble = Trouble::None;
    Result<std::unique_ptr<Database>> db = open_for_writing(options_.path, trouble);
    if (!db && trouble == Trouble::Corrupt && set_damaged_aside())
        db = open_for_writing(options_.path, trouble);
    return db;
}

Result<void> Writer::ensure_open() {
    if (open_.db) return ok();
    return open();
}

Result<void> Writer::commit(std::vector<Queued>& batch) {
    bool degraded;
    {
        std::lock_guard lock(mutex_);
        degraded = health_.state == Health::State::Degraded;
    }
    if (batch.empty() && !degraded) return ok();
    Trouble trouble = Trouble::Disk;
    // Another server may have set the file aside and begun a new one.
    if (open_.db && file_was_replaced()) close(true);
    Result<void> written = ensure_open();
    if (written) {
        written = write(batch);
        trouble = open_.db->trouble();
    }
    if (!written) {
        cope(written.error(), trouble, batch);
        return written;
    }
    finish_batch(batch);
    backoff_ = 0ms;
    set_health(Health::State::Ok, "");
    return ok();
}

Result<void> Writer::write(std::vector<Queued>& batch) {
    Database& db = *open_.db;
    db.forget_trouble();
    Result<void> written = db.execute("BEGIN IMMEDIATE");
    for (auto it = batch.begin(); written && it != batch.end(); ++it) {
        if (it->dropped) continue;
        Result<void> applied = open_.record_writer->apply(it->operation);
        if (applied) continue;
        if (db.trouble() != Trouble::None) {
            written = applied;
            break;
        }
        // Only this operation is wrong: the others are committed.
        it->dropped = true;
        if (it->done) std::exchange(it->done, nullptr)(applied);
        std::lock_guard lock(mutex_);
        ++health_.dropped;
    }
    if (written) written = open_.record_writer->finish();
    if (written) {
        db.forget_trouble();
        written = db.execute("COMMIT");
    }
    if (!written) {
        db.roll_back();
        open_.record_writer->forget_all();
    }
    return written;
}

// Completes a committed batch: it can be read now, and goes to the disk.
void Writer::finish_batch(std::vector<Queued>& batch) {
    std::vector<Done> waiting;
    std::size_t bytes = 0;
    for (Queued& queued : batch) {
        bytes += queued.bytes;
        if (queued.done) waiting.push_back(std::move(queued.done));
    }
    std::size_t count = batch.size();
    bool overload_ends = false;
    batch.clear();
    {
        std::lock_guard lock(mutex_);
        committed_count_ += count;
        pending_ -= count;
        pending_bytes_ -= bytes;
        overload_ends = overloaded_ && pending_bytes_ < options_.max_pending_bytes / 2;
        if (overload_ends) overloaded_ = false;
    }
    if (overload_ends) notify_();
    committed_.notify_all();
    if (count) syncer_->committed(std::move(waiting), open_.db->log_pages());
}

void Writer::keep_house() {
    bool suspect;
    {
        std::lock_guard lock(mutex_);
        suspect = std::exchange(suspect_, false);
    }
    Clock::time_point now = Clock::now();
    if (!suspect && !more_to_remove_ && now < housekeeping_at_) return;
    housekeeping_at_ = now + kHousekeeping;
    std::vector<Queued> nothing;
    if (suspect &&
        open_.db->number("SELECT quick_check <> 'ok' FROM pragma_quick_check(1)").value_or(1) != 0) {
        cope(Error{.message = "The record's database is damaged."}, Trouble::Corrupt, nothing);
        return;
    }
    if (file_was_replaced()) {
        close(true);
        cope(Error{.message = "The record's database was moved or removed."}, Trouble::Disk, nothing);
        return;
    }
    open_.db->forget_trouble();
    Result<bool> more = open_.retention->step();
    if (!more) return cope(more.error(), open_.db->trouble(), nothing);
    more_to_remove_ = *more;
    if (more_to_remove_) syncer_->committed({}, open_.db->log_pages());
    std::lock_guard lock(mutex_);
    health_.database_bytes = open_.retention->database_bytes();
    health_.over_limit = open_.retention->over_limit();
}

bool Writer::file_was_replaced() const {
    struct stat status;
    if (::stat(options_.path.c_str(), &status) != 0) return true;
    return !open_.db->is_file(status.st_dev, status.st_ino);
}

// Readers reopen their connections after this.
void Writer::close(bool leave_log) {
    std::unique_lock alone(files_);
    ++generation_;
    // SQLite cleans up by the file's name, which may be another server's new record by now.
    if (open_.db && (leave_log || file_was_replaced())) open_.db->leave_log();
    open_.retention.reset();
    open_.record_writer.reset();
    open_.db.reset();
    more_to_remove_ = false;
}

// Moves a damaged database out of the way, unless another server has done so.
bool Writer::start_anew() {
    auto alone = FileLock::take_within(options_.path.string() + std::string(kSetupLock), kSetupTimeout);
    bool is_replaced = open_.db && file_was_replaced();
    close(true);
    return is_replaced || set_damaged_aside();
}

// Call with the setup lock, and with the database closed.
bool Writer::set_damaged_aside() {
    {
        std::unique_lock alone(files_);
        Result<std::filesystem::path> name = set_aside(options_.path);
        if (!name) return false;
        std::lock_guard lock(mutex_);
        health_.set_aside = *name;
    }
    notify_();
    return true;
}

void Writer::cope(const Error& error, Trouble trouble, std::vector<Queued>& batch) {
    if (trouble == Trouble::Corrupt && start_anew()) {
        retry_at_ = Clock::now();
    } else {
        // The next attempt needs a fresh connection: this one's view of the files may be wrong.
        close(true);
        backoff_ = std::clamp(backoff_ * 2, kMinBackoff, kMaxBackoff);
        retry_at_ = Clock::now() + backoff_;
    }
    set_health(Health::State::Degraded, error.message);
    // Callers do not wait for a disk that does not answer; their records may still get there.
    for (Queued& queued : batch) {
        if (queued.done) std::exchange(queued.done, nullptr)(unavailable(error.message));
    }
    std::vector<Done> waiting;
    {
        std::lock_guard lock(mutex_);
        for (Queued& queued : queue_) {
            if (queued.done) waiting.push_back(std::exchange(queued.done, nullptr));
        }
    }
    for (Done& done : waiting) done(unavailable(error.message));
    committed_.notify_all();
}

void Writer::set_health(Health::State state, std::string reason) {
    {
        std::lock_guard lock(mutex_);
        if (health_.state == state && health_.reason == reason) return;
        health_.state = state;
        health_.reason = std::move(reason);
    }
    notify_();
}

// Drops operations that could not be committed when the server ended.
void Writer::give_up(std::vector<Queued>& batch) {
    for (Queued& queued : batch) {
        if (queued.done) queued.done(unavailable("the server is ending."));
    }
    std::lock_guard lock(mutex_);
    health_.dropped += batch.size();
    committed_.notify_all();
}

}  // namespace store
