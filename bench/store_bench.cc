// What recording costs: the loop's part, the writer's part, and the disk.
#include <filesystem>

#include <benchmark/benchmark.h>

#include "store/diff.h"
#include "store/store.h"
#include "util/crypto.h"
#include "util/json.h"

namespace {

// A page of 20 KB: a form whose status line differs with every call, and whose fields fill up.
std::string page(int version) {
    std::string text = "- main [ref=e1]:\n";
    for (int i = 0; i < 360; ++i) {
        text += "  - listitem [ref=e" + std::to_string(i + 2) + "]: Product " +
                std::to_string(i * 7919 % 1000) + " costs " + std::to_string(i * 104729 % 5000) + " euros\n";
    }
    for (int i = 0; i < 20; ++i) {
        text += "  - textbox \"Field " + std::to_string(i) + "\" [ref=e" + std::to_string(i + 400) + "]";
        if (version / 20 % 20 > i) text += ": value " + std::to_string(version / 400);
        text += "\n";
    }
    return text + "  - status [ref=e999]: " + std::to_string(version) + " items, last at " +
           std::to_string(version * 37 % 86400) + "\n";
}

// As the protocol answers: the snapshot inside a JSON text.
std::string answer(const std::string& snapshot, int version) {
    std::string text = "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Add " +
                       std::to_string(version % 50) +
                       "' }).click();\n```\n### Page\n- Page URL: http://shop/list\n" +
                       "- Page Title: Shop\n### Snapshot\n```yaml\n" + snapshot + "\n```";
    std::string json = R"({"content":[{"type":"text","text":)";
    json::append_string(json, text);
    return json + "}]}";
}

class TemporaryStore {
public:
    TemporaryStore() {
        std::string name = (std::filesystem::temp_directory_path() / "troupe-bench-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
        options.path = directory_ / "record.db";
        options.max_bytes = 0;
        options.max_pending_bytes = 256 << 20;
        open();
    }
    ~TemporaryStore() {
        store.reset();
        std::filesystem::remove_all(directory_);
    }
    void open() {
        store.reset();
        store = std::move(*store::Store::open(loop, options));
    }

    void record(int version, int sessions) {
        std::string ref = random_uuid(), snapshot = page(version);
        // Sessions do not stand at the same point of the same page.
        std::string session = "6b1f9d52-9c5e-4f0b-8a57-3d2f1c0e" + std::to_string(1000 + version % sessions);
        store->record(store::RequestRecord{
            ref, session, "browser_click",
            R"({"element":"Add button","target":"e)" + std::to_string(version % 50 + 2) + "\"}"});
        store->record(store::ResponseRecord{.ref_id = ref,
                                            .result = answer(snapshot, version),
                                            .page_snapshot = std::move(snapshot),
                                            .page_url = "http://shop/list",
                                            .page_title = "Shop",
                                            .network = R"([{"method":"POST","url":"http://shop/cart?item=)" +
                                                       std::to_string(version) +
                                                       R"(","type":"fetch","status":200,)"
                                                       R"("mimeType":"application/json","milliseconds":)" +
                                                       std::to_string(version % 90) + "}]"});
    }
    void wait_until_committed() {
        while (store->health().pending > 0) ::usleep(1000);
    }
    std::uintmax_t size() {
        store.reset();
        return std::filesystem::file_size(options.path);
    }

    Loop loop{1};
    store::Options options;
    std::unique_ptr<store::Store> store;

private:
    std::filesystem::path directory_;
};

void push(benchmark::State& state) {
    TemporaryStore temporary;
    std::string snapshot = page(1), result = answer(snapshot, 1);
    for (auto _ : state) {
        std::string ref = random_uuid();
        temporary.store->record(store::RequestRecord{ref, "s1", "browser_click", "{}"});
        temporary.store->record(
            store::ResponseRecord{.ref_id = ref, .result = result, .page_snapshot = snapshot});
        if (temporary.store->health().pending > 2000) {
            state.PauseTiming();
            temporary.wait_until_committed();
            state.ResumeTiming();
        }
    }
}
BENCHMARK(push)->Name("store: hand a 20 KB call to the writer");

// All threads together, with the clock of the process.
void record(benchmark::State& state, int sessions) {
    TemporaryStore temporary;
    int version = 0;
    for (auto _ : state) {
        for (int i = 0; i < 500; ++i) temporary.record(version++, sessions);
        temporary.wait_until_committed();
    }
    state.SetItemsProcessed(version);
    state.counters["bytes per call"] = static_cast<double>(temporary.size()) / version;
}
BENCHMARK_CAPTURE(record, one, 1)
    ->Name("store: record 500 calls of a 20 KB page, one session")
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(record, fifty, 50)
    ->Name("store: record 500 calls of a 20 KB page, 50 sessions")
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// Begins with two thousand calls, after which the pages of all sessions are known.
void simulate_day(benchmark::State& state) {
    constexpr int kBefore = 2'000, kCalls = 6'000;
    TemporaryStore temporary;
    int version = 0;
    while (version < kBefore) temporary.record(version++, 8);
    std::uintmax_t before = temporary.size();
    temporary.open();
    for (auto _ : state) {
        for (int i = 0; i < kCalls; ++i) {
            temporary.record(version++, 8);
            if (i % 1'000 == 0) temporary.wait_until_committed();
        }
        temporary.wait_until_committed();
    }
    double bytes = static_cast<double>(temporary.size() - before) / (version - kBefore);
    state.counters["bytes per call"] = bytes;
    state.counters["GB a day at 10 calls/s"] = bytes * 864'000 / 1e9;
}
BENCHMARK(simulate_day)
    ->Name("store: 6,000 calls of a 20 KB page, 8 sessions")
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void open_existing(benchmark::State& state) {
    TemporaryStore temporary;
    for (int i = 0; i < 2000; ++i) temporary.record(i, 10);
    for (auto _ : state) temporary.open();
}
BENCHMARK(open_existing)->Name("store: close and open")->Unit(benchmark::kMillisecond);

void diff_megabyte(benchmark::State& state) {
    std::string before;
    while (before.size() < 1'000'000) before += page(static_cast<int>(before.size()));
    std::string after = before;
    after.replace(after.find("Product", 500'000), 7, "Article");
    for (auto _ : state) benchmark::DoNotOptimize(store::render_diff(before, after));
}
BENCHMARK(diff_megabyte)->Name("store: diff of 1 MB with one word changed")->Unit(benchmark::kMillisecond);

}  // namespace
