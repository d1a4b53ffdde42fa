#include "tests/tools/support.h"
#include "util/strings.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;

class BrowserTracing : public fakes::ToolTest {
protected:
    void SetUp() override { show_page(); }
    std::string trace(std::string_view extension = ".trace") {
        return directory.read(kTraces / ("trace-1772600767089" + std::string(extension)));
    }
    // The events of one type, in the order in which they were written.
    std::vector<json::value> events(std::string_view type) {
        std::vector<json::value> found;
        for (const std::string& line : split(trace(), '\n')) {
            if (line.empty()) continue;
            json::value event = json::parse(line).value();
            if (event.at("type").as_string() == type) found.push_back(std::move(event));
        }
        return found;
    }

    const std::filesystem::path kTraces = ".playwright-mcp/traces";
};

TEST_F(BrowserTracing, SaysWhereItsFilesAre) {
    EXPECT_THAT(call("browser_start_tracing").text,
                HasSubstr("### Result\nTrace recording started\n"
                          "- [Action log](.playwright-mcp/traces/trace-1772600767089.trace)\n"
                          "- [Network log](.playwright-mcp/traces/trace-1772600767089.network)\n"
                          "- [Resources](.playwright-mcp/traces/resources)"));
    EXPECT_THAT(call("browser_stop_tracing").text,
                HasSubstr("Trace recording stopped.\n- [Trace](.playwright-mcp/traces/trace-"));
    for (std::string_view name : {"resources", "screencast", "trace-1772600767089.network",
                                  "trace-1772600767089.stacks", "trace-1772600767089.trace"}) {
        EXPECT_TRUE(directory.has(kTraces / name)) << name;
    }
}

TEST_F(BrowserTracing, IsStartedAndStoppedOnce) {
    EXPECT_THAT(call("browser_stop_tracing").text, HasSubstr("Error: Tracing is not started"));
    call("browser_start_tracing");
    EXPECT_THAT(call("browser_start_tracing").text, HasSubstr("Error: Tracing has been already started"));
    call("browser_stop_tracing");
    EXPECT_TRUE(call("browser_stop_tracing").is_error);
}

TEST_F(BrowserTracing, RecordsCallsWithThePageBeforeAndAfter) {
    call("browser_start_tracing");
    call("browser_click", R"({"target": "e2"})");
    call("browser_click", R"({"target": "e9"})");
    call("browser_stop_tracing");
    call("browser_snapshot");

    auto before = events("before"), after = events("after"), snapshots = events("frame-snapshot");
    ASSERT_EQ(before.size(), 3) << "two clicks and the stop";
    EXPECT_EQ(before[0].at("title"), "browser_click");
    EXPECT_EQ(before[0].at("params").at("target"), "e2");
    EXPECT_FALSE(after[0].as_object().contains("error"));
    EXPECT_THAT(std::string(after[1].at("error").at("message").as_string()), HasSubstr("Ref e9 not found"));
    EXPECT_EQ(snapshots[0].at("snapshot").at("phase"), "before");
    EXPECT_EQ(snapshots[2].at("snapshot").at("phase"), "after");
    EXPECT_EQ(snapshots[2].at("snapshot").at("callId"), before[0].at("callId"));
}

TEST_F(BrowserTracing, KeepsTheDocumentsOfAllFrames) {
    call("browser_start_tracing");
    call("browser_snapshot");

    auto snapshots = events("frame-snapshot");
    ASSERT_GE(snapshots.size(), 2);
    const json::value& main = snapshots[0].at("snapshot");
    const json::value& inner = snapshots[1].at("snapshot");
    EXPECT_EQ(main.at("isMainFrame"), true);
    EXPECT_EQ(inner.at("isMainFrame"), false);
    EXPECT_EQ(inner.at("frameId"), "frame@inner");
    EXPECT_EQ(inner.at("pageId"), main.at("pageId"));
    EXPECT_EQ(inner.at("callId"), main.at("callId"));
}

TEST_F(BrowserTracing, KeepsPicturesRequestsAndMessages) {
    call("browser_start_tracing");
    page().request_entries = {{.id = "1",
                               .method = "GET",
                               .url = "http://localhost/",
                               .resource_type = "document",
                               .status = 200,
                               .mime_type = "text/html",
                               .finished = true}};
    page().body = {.bytes = "<p>", .mime_type = "text/html"};
    page().log("log", "hello");
    call("browser_snapshot");
    call("browser_snapshot");
    ASSERT_TRUE(page().screen_watcher.lock());
    (*page().screen_watcher.lock())({.jpeg = "JPEG", .size = {8, 6}});
    call("browser_stop_tracing");

    EXPECT_THAT(trace(".network"),
                AllOf(HasSubstr("\"url\":\"http://localhost/\""), HasSubstr("\"_file\":\"resources/")));
    EXPECT_EQ(split(trace(".network"), '\n').size(), 2) << "once, and the end of its line";
    EXPECT_EQ(events("console").at(0).at("text"), "hello");
    std::string file(events("screencast-frame").at(0).at("file").as_string());
    EXPECT_EQ(directory.read(kTraces / file), "JPEG");
    EXPECT_FALSE(page().screen_watcher.lock()) << "nobody watches any more";
}

TEST_F(BrowserTracing, EndsWithTheBrowser) {
    call("browser_start_tracing");
    call("browser_close");

    EXPECT_THAT(call("browser_stop_tracing").text, HasSubstr("Tracing is not started"));
}

}  // namespace
