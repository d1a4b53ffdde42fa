#include "engine/cdp/console_log.h"
#include "tests/engine/cdp_chromium.h"

using cdp::ConsoleLog;
using cdp::SessionKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class CdpConsoleLog : public ChromiumTest {
protected:
    void SetUp() override {
        ChromiumTest::SetUp();
        page = open_page([this](const SessionPtr& session) { console.attach(session, SessionKind::Page); });
    }
    // What one console call is logged as.
    std::string logged(const std::string& call) {
        std::size_t before = console.entries().size();
        evaluate(page, call + "; 0");
        run_until([&] { return console.entries().size() > before; });
        return console.entries().back().text;
    }
    std::vector<std::string> types() const {
        std::vector<std::string> all;
        for (const auto& entry : console.entries()) all.push_back(entry.type);
        return all;
    }

    ConsoleLog console;
    SessionPtr page;
};

TEST_F(CdpConsoleLog, JoinsArgumentsAsPlaywrightDoes) {
    EXPECT_EQ(logged("console.log('hello', 5, { foo: 'bar' })"), "hello 5 {foo: bar}");
    EXPECT_EQ(logged("console.log([1, 2, 3], { a: 1 }, window)"), "[1, 2, 3] {a: 1} Window");
    EXPECT_EQ(logged("console.log('%s is %d', 'x', 1)"), "%s is %d x 1");
}

TEST_F(CdpConsoleLog, SpellsEveryKindOfValue) {
    EXPECT_EQ(logged("console.log(undefined, null, true, NaN, Infinity, -0, 1.5, 1e21, 10n)"),
              "undefined null true NaN Infinity 0 1.5 1e+21 10n");
    EXPECT_EQ(logged("console.log(Symbol('s'), /re/g, new Date(0).getTime(), Promise.resolve())"),
              "Symbol(s) /re/g 0 Promise");
    EXPECT_EQ(logged("console.log(new Map([[1, 2]]), new Set([1]), function f() {})"),
              "Map(1) Set(1) function f() {}");
    EXPECT_EQ(logged("console.log([1, , 3, , , 6])"), "[1, empty, 3, empty x 2, 6]");
    EXPECT_EQ(logged("console.log({ a: [1], b: { c: 1 }, d: undefined, e: null })"),
              "{a: Array(1), b: Object, d: undefined, e: null}");
    EXPECT_EQ(logged("console.log(document.body)"), "JSHandle@node");
    EXPECT_THAT(logged("console.log(new TypeError('bad'))"), StartsWith("TypeError: bad\n    at "));
}

TEST_F(CdpConsoleLog, NamesTheTypeOfEveryCall) {
    evaluate(
        page,
        "console.log(1); console.debug(1); console.info(1); console.warn(1); console.error(1);"
        "console.assert(false, 1); console.dir(1); console.table([1]); console.trace(1); console.count('c');"
        "console.group('g'); console.groupEnd(); console.time('t'); console.timeEnd('t'); console.clear(); "
        "0");
    run_until([&] { return console.entries().size() >= 14; });

    EXPECT_THAT(types(), ElementsAre("log", "debug", "info", "warning", "error", "assert", "dir", "table",
                                     "trace", "count", "startGroup", "endGroup", "timeEnd", "clear"));
}

TEST_F(CdpConsoleLog, SaysWhereAMessageCameFrom) {
    serve_html("/", "<!DOCTYPE html>\n<script>\nconsole.log('here');\n</script>");
    navigate(page, site() + "/");

    const auto& entry = console.entries().back();
    EXPECT_EQ(entry.url, site() + "/");
    EXPECT_EQ(entry.line, 2);
    EXPECT_EQ(entry.column, 8);
    auto age = std::chrono::system_clock::now() - entry.time;
    EXPECT_LT(std::chrono::abs(age), std::chrono::minutes(1));
}

TEST_F(CdpConsoleLog, KeepsTheStackOfAnErrorThatNobodyCaught) {
    show(page, "<script>function f() { throw new TypeError('no: good') }\nf()</script>");

    ASSERT_EQ(console.entries().size(), 1);
    const auto& entry = console.entries().front();
    EXPECT_TRUE(entry.uncaught);
    EXPECT_EQ(entry.type, "error");
    EXPECT_EQ(entry.text, "no: good");
    EXPECT_THAT(entry.stack, AllOf(StartsWith("TypeError: no: good\n    at f (data:"), EndsWith(":2:1")));
}

TEST_F(CdpConsoleLog, TakesThrownValuesAndRejectedPromises) {
    show(page, "<script>setTimeout(() => { throw 'just text' }); Promise.reject(new Error('late'))</script>");
    run_until([&] { return console.entries().size() >= 2; });

    std::vector<std::string> stacks;
    for (const auto& entry : console.entries()) stacks.push_back(entry.stack);
    EXPECT_THAT(stacks, testing::UnorderedElementsAre("just text", StartsWith("Error: late\n    at ")));
}

TEST_F(CdpConsoleLog, TellsWhatTheBrowserComplainsAbout) {
    serve_html("/", "<img src=/missing.png>");
    navigate(page, site() + "/");
    run_until([&] { return !console.entries().empty(); });

    const auto& entry = console.entries().front();
    EXPECT_EQ(entry.type, "error");
    EXPECT_EQ(entry.text, "Failed to load resource: the server responded with a status of 404 (Not Found)");
    EXPECT_EQ(entry.url, site() + "/missing.png");
}

TEST_F(CdpConsoleLog, KnowsWhereTheCurrentDocumentBegins) {
    logged("console.log('old')");
    auto watch = page->on("Page.frameNavigated", [this](const json::object&) { console.mark_navigation(); });
    show(page, "<script>console.log('new')</script>");

    EXPECT_EQ(console.since_navigation(), 1);
    EXPECT_EQ(console.entries()[1].text, "new");

    console.clear();
    EXPECT_EQ(console.since_navigation(), 0);
    EXPECT_TRUE(console.entries().empty());
}

TEST_F(CdpConsoleLog, ForgetsTheOldestOfVeryMany) {
    logged("console.log('first')");
    console.mark_navigation();
    evaluate(page, "for (let i = 1; i <= 1000; ++i) console.log(i); 0");
    run_until([&] { return console.entries().back().text == "1000"; });

    EXPECT_EQ(console.entries().size(), 901);
    EXPECT_EQ(console.entries().front().text, "100");
    EXPECT_EQ(console.since_navigation(), 0);
}

TEST_F(CdpConsoleLog, ForgetsTheOldestOfVeryLongOnes) {
    EXPECT_THAT(logged("console.log('x'.repeat(3 << 20), 'y'.repeat(3 << 20))"), EndsWith(" more bytes)"));
    EXPECT_LT(console.entries().back().text.size(), 2u << 20);
    evaluate(page, "for (let i = 0; i < 40; i++) console.log(i + 'x'.repeat(1 << 19)); 0");
    run_until([&] { return console.entries().back().text.starts_with("39"); });

    std::size_t bytes = 0;
    for (const auto& entry : console.entries()) bytes += entry.text.size();
    EXPECT_LE(bytes, 16u << 20);
    EXPECT_GT(console.entries().size(), 10u);
}

TEST_F(CdpConsoleLog, DoesNotKeepLoggedObjectsAliveInThePage) {
    evaluate(page,
             "refs = []; for (let i = 0; i < 60; ++i) { const o = { i }; refs.push(new WeakRef(o)); "
             "console.log(o); }");
    run_until([&] { return console.entries().size() == 60; });
    ASSERT_TRUE(run(page->send("Runtime.discardConsoleEntries")));
    ASSERT_TRUE(run(page->send("HeapProfiler.collectGarbage")));

    EXPECT_EQ(evaluate(page, "refs.slice(0, 50).filter(r => r.deref()).length"), 0);
}

TEST_F(CdpConsoleLog, AddsErrorsOfOurOwnAndTellsTheListener) {
    std::vector<std::string> reported;
    ConsoleLog listened([&](const engine::ConsoleEntry& entry) { reported.push_back(entry.text); });

    listened.add_error("blocked");

    EXPECT_THAT(reported, ElementsAre("blocked"));
    EXPECT_TRUE(listened.entries().front().uncaught);
}

}  // namespace
