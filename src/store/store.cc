#include "store/store.h"

#include "store/database.h"
#include "store/database_files.h"
#include "store/readers.h"
#include "store/sealed_state.h"
#include "store/session_leases.h"
#include "store/writer.h"

namespace store {
namespace {

using namespace std::chrono_literals;

// How long another server of this record may take, on a busy machine, to commit a call whose ref_id it has
// given out already, or the call's answer.
constexpr std::chrono::milliseconds kCommitPauses[] = {15ms, 30ms, 60ms, 120ms, 240ms, 480ms, 960ms, 1920ms};

// Brings another thread's result to the loop. The loop has work until then.
template <class T>
class Reply {
public:
    explicit Reply(Loop& loop) : loop_(&loop), completion_(loop), work_(boost::asio::make_work_guard(loop)) {}

    // Call from any thread, once.
    void send(Result<T> result) {
        boost::asio::post(*loop_,
                          [completion = completion_, work = std::move(work_),
                           result = std::move(result)]() mutable { completion.set(std::move(result)); });
    }
    Completion<Result<T>> completion() const { return completion_; }

private:
    Loop* loop_;
    Completion<Result<T>> completion_;
    boost::asio::executor_work_guard<Loop::executor_type> work_;
};

Task<> wait_for(Completion<Result<void>> completion) { co_await co_await completion; }

// Pushes at once; the task only waits for the result.
Task<> push(Writer& writer, Loop& loop, Operation operation) {
    auto reply = std::make_shared<Reply<void>>(loop);
    writer.push(std::move(operation), [reply](Result<void> result) { reply->send(std::move(result)); });
    return wait_for(reply->completion());
}

}  // namespace

Store::Store(Loop& loop, Options options)
    : loop_(loop), options_(std::move(options)), self_(std::make_shared<Store*>(this)) {
    options_.path = resolved(options_.path);
    if (options_.key_file.empty()) options_.key_file = options_.path.string() + ".key";
    auto notify = [&executor = loop_, self = self_] {
        boost::asio::post(executor, [self] {
            Store* store = *self;
            if (store && store->options_.on_health_change) store->options_.on_health_change(store->health());
        });
    };
    writer_ = std::make_unique<Writer>(options_, std::move(notify));
}

Result<std::unique_ptr<Store>> Store::open(Loop& loop, Options options) {
    std::unique_ptr<Store> store(new Store(loop, std::move(options)));
    TRY(store->writer_->start());
    store->readers_ = std::make_unique<Readers>(*store->writer_);
    store->leases_ = SessionLeases::open(store->options_.path.string() + ".leases").value_or(nullptr);
    return store;
}

std::shared_ptr<void> Store::lease(const std::string& session_id) {
    // If the lease file cannot be written, no other server shares the record either.
    if (!leases_) return std::make_shared<int>();
    return SessionLeases::take(leases_, session_id);
}

pid_t Store::lease_holder(const std::string& session_id) const {
    return leases_ ? leases_->holder(session_id) : 0;
}

Store::~Store() { *self_ = nullptr; }

template <class Record>
void Store::stamp(Record& record) const {
    if (record.timestamp == kNow) record.timestamp = options_.now();
}

void Store::record(SessionRecord record) {
    stamp(record);
    writer_->push(std::move(record));
}

void Store::record(RequestRecord record) {
    stamp(record);
    writer_->push(std::move(record));
}

void Store::record(ResponseRecord record) {
    stamp(record);
    writer_->push(std::move(record));
}

Task<> Store::record_durably(ResponseRecord record) {
    stamp(record);
    return push(*writer_, loop_, std::move(record));
}

Health Store::health() const { return writer_->health(); }

template <class T, class Read>
Task<T> Store::read(Read read) {
    auto reply = std::make_shared<Reply<T>>(loop_);
    Completion<Result<T>> completion = reply->completion();
    readers_->post([reply, read = std::move(read)](Result<Database*> db, Result<void> up_to_date) {
        if (!db) return reply->send(db.error());
        Result<T> result = read(**db);
        // The call may not be written yet.
        bool may_come = !result && result.error().code == ErrorCode::NotFound && !up_to_date;
        reply->send(may_come ? Result<T>(up_to_date.error()) : std::move(result));
    });
    co_return co_await completion;
}

Task<std::vector<CallSummary>> Store::history(HistoryQuery query) {
    return read<std::vector<CallSummary>>(
        [query = std::move(query)](Database& db) { return list_history(db, query); });
}

Task<std::vector<SessionInfo>> Store::sessions() { return read<std::vector<SessionInfo>>(list_sessions); }

Task<std::optional<SessionInfo>> Store::session(std::string session_id) {
    return read<std::optional<SessionInfo>>(
        [session_id = std::move(session_id)](Database& db) { return find_session(db, session_id); });
}

Task<CallSummary> Store::summary(std::string ref_id) {
    auto read_now = [&] {
        return read<CallSummary>([ref_id](Database& db) { return read_summary(db, ref_id); });
    };
    Result<CallSummary> found = co_await as_result(read_now());
    bool may_come = !found && found.error().code == ErrorCode::NotFound && writer_->has_company();
    if (found && !found->answered) {
        may_come = co_await read<bool>([session = found->session_id, own = writer_->server()](Database& db) {
            return is_of_another_live_server(db, session, own);
        });
    }
    if (!may_come) co_return co_await std::move(found);
    for (auto pause : kCommitPauses) {
        co_await sleep_for(loop_, pause);
        found = co_await as_result(read_now());
        if (found && found->answered) break;
    }
    co_return co_await std::move(found);
}

Task<std::vector<CallSummary>> Store::find_calls(std::string ref_prefix) {
    return read<std::vector<CallSummary>>(
        [prefix = std::move(ref_prefix)](Database& db) { return store::find_calls(db, prefix); });
}

Task<Call> Store::call(std::string ref_id) {
    return read<Call>([ref_id = std::move(ref_id)](Database& db) { return read_call(db, ref_id); });
}

Task<std::optional<std::string>> Store::snapshot(std::string ref_id) {
    return read<std::optional<std::string>>(
        [ref_id = std::move(ref_id)](Database& db) { return read_snapshot(db, ref_id); });
}

Task<std::vector<ConsoleMessage>> Store::console(std::string ref_id, Level at_least) {
    return read<std::vector<ConsoleMessage>>(
        [ref_id = std::move(ref_id), at_least](Database& db) { return read_console(db, ref_id, at_least); });
}

Task<std::optional<std::string>> Store::find_request(std::string session_id, std::string request_id) {
    return read<std::optional<std::string>>(
        [session_id = std::move(session_id), request_id = std::move(request_id)](Database& db) {
            return store::find_request(db, session_id, request_id);
        });
}

Task<Content> Store::read_content(ContentQuery query) {
    std::size_t counts_up_to = query.counts_up_to;
    ContentRead read_back = co_await read<ContentRead>(
        [query = std::move(query)](Database& db) { return store::read_content(db, query); });
    if (read_back.content.text.size() <= counts_up_to) advance(std::move(read_back.cursor));
    co_return std::move(read_back.content);
}

Task<std::string> Store::diff(std::string from_ref, std::string to_ref) {
    return read<std::string>([from_ref = std::move(from_ref), to_ref = std::move(to_ref)](Database& db) {
        return diff_calls(db, from_ref, to_ref);
    });
}

Task<std::optional<Cursor>> Store::cursor(std::string reader, std::string ref_id) {
    return read<std::optional<Cursor>>([reader = std::move(reader), ref_id = std::move(ref_id)](
                                           Database& db) { return find_cursor(db, reader, ref_id); });
}

Task<std::optional<Cursor>> Store::last_cursor(std::string reader, std::string page_key) {
    return read<std::optional<Cursor>>([reader = std::move(reader), page_key = std::move(page_key)](
                                           Database& db) { return find_last_cursor(db, reader, page_key); });
}

void Store::advance(Cursor cursor) {
    if (cursor.last_read == kNow) cursor.last_read = options_.now();
    writer_->push(std::move(cursor));
}

Task<> Store::save_state(std::string session_id, std::string state) {
    StateRecord record{std::move(session_id), std::move(state)};
    stamp(record);
    return push(*writer_, loop_, std::move(record));
}

Task<std::optional<std::string>> Store::load_state(std::string session_id) {
    return read<std::optional<std::string>>(
        [session_id = std::move(session_id),
         key_file = options_.key_file](Database& db) -> Result<std::optional<std::string>> {
            Query query = TRY(db.query("SELECT sealed FROM session_states WHERE session_id = ?1"));
            if (!TRY(query.bind(session_id).step())) return std::optional<std::string>();
            StateKey key = TRY(StateKey::load_or_create(key_file));
            return std::optional(TRY(key.open(session_id, query.text(0))));
        });
}

Task<std::vector<std::string>> Store::states() {
    return read<std::vector<std::string>>([](Database& db) -> Result<std::vector<std::string>> {
        std::vector<std::string> ids;
        Query query = TRY(db.query("SELECT session_id FROM session_states ORDER BY timestamp"));
        while (TRY(query.step())) ids.emplace_back(query.text(0));
        return ids;
    });
}

void Store::forget_state(std::string session_id) {
    StateRecord record{std::move(session_id), std::nullopt};
    stamp(record);
    writer_->push(std::move(record));
}

}  // namespace store
