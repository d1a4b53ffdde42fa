#include "record/open.h"

#include "store/database_files.h"
#include "store/state_import.h"

namespace record {
namespace {

constexpr int kMaxServers = 100;

std::filesystem::path numbered(const std::filesystem::path& path, int number) {
    if (number == 1) return path;
    std::filesystem::path other = path;
    other.replace_filename(path.stem().string() + "-" + std::to_string(number) + path.extension().string());
    return other;
}

void report(Log& log, const std::filesystem::path& path, const store::Health& health) {
    if (health.state == store::Health::State::Ok) {
        log.info("recording again", {{"file", path.string()}, {"set_aside", health.set_aside.string()}});
    } else {
        log.warn("calls are not recorded: " + health.reason,
                 {{"file", path.string()}, {"dropped", health.dropped}});
    }
}

// Takes over sessions from the numbered records that servers of earlier versions kept while others ran.
void take_over_states(const store::Options& options, const std::filesystem::path& record, Log& log) {
    for (const std::filesystem::path& other : find_databases(record.parent_path())) {
        if (other == record) continue;
        auto taken = store::import_states({record, options.key_file}, {other, options.key_file});
        if (!taken) {
            log.warn("sessions of another record could not be taken over: " + taken.error().to_string(),
                     {{"file", other.string()}});
        } else if (*taken > 0) {
            log.info("took over " + std::to_string(*taken) + " sessions of another record",
                     {{"file", other.string()}});
        }
    }
}

}  // namespace

std::vector<std::filesystem::path> find_databases(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        std::string name = entry.path().filename().string();
        bool ours = name == "record.db" || (name.starts_with("record-") && name.ends_with(".db") &&
                                            name.find_first_not_of("0123456789", 7) == name.size() - 3);
        if (ours) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

Result<std::unique_ptr<store::Store>> open(Loop& loop, store::Options options, Path path, Log& log) {
    const std::filesystem::path wanted = options.path;
    if (path == Path::Given) TRY(store::check_is_record(wanted));
    for (int number = 1;; ++number) {
        options.path = numbered(wanted, number);
        options.on_health_change = [&log, file = options.path](const store::Health& health) {
            report(log, file, health);
        };
        auto opened = store::Store::open(loop, options);
        if (opened) {
            if (number > 1)
                log.info("the record is in use by a server of an earlier version: recording to " +
                         options.path.string());
            if (path == Path::Usual && (*opened)->health().state == store::Health::State::Ok)
                take_over_states(options, (*opened)->path(), log);
            return opened;
        }
        const Error& error = opened.error();
        if (path == Path::Given) return opened;
        bool in_use = error.code == ErrorCode::ResourceExhausted && number < kMaxServers;
        if (!in_use) {
            log.warn("serving without a record: " + error.to_string(), {{"file", options.path.string()}});
            return std::unique_ptr<store::Store>();
        }
    }
}

void add_metrics(Metrics& metrics, const store::Store& store) {
    auto gauge = [&](std::string_view name, std::string_view help, auto read) {
        metrics.gauge(name, help, [&store, read] { return static_cast<double>(read(store.health())); });
    };
    gauge("troupe_store_degraded", "1 while calls cannot be recorded.",
          [](const store::Health& health) { return health.state == store::Health::State::Degraded ? 1 : 0; });
    gauge("troupe_store_pending_records", "Records that are not on disk yet.",
          [](const store::Health& health) { return health.pending; });
    gauge("troupe_store_dropped_records", "Records that were lost since the server began.",
          [](const store::Health& health) { return health.dropped; });
    gauge("troupe_store_bytes", "Size of the record.",
          [](const store::Health& health) { return health.database_bytes; });
}

json::object describe(const store::Health& health) {
    json::object data{{"status", health.state == store::Health::State::Ok ? "ok" : "degraded"},
                      {"pending", health.pending},
                      {"dropped", health.dropped},
                      {"bytes", health.database_bytes}};
    if (!health.reason.empty()) data["reason"] = health.reason;
    if (health.over_limit) data["over_limit"] = true;
    if (!health.set_aside.empty()) data["set_aside"] = health.set_aside.filename().string();
    return data;
}

}  // namespace record
