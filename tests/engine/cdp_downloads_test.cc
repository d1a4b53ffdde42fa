#include "engine/cdp/downloads.h"
#include "tests/engine/cdp_chromium.h"
#include "util/files.h"

using cdp::Downloads;
using engine::Download;
using testing::IsEmpty;

namespace {

class CdpDownloads : public ChromiumTest {
protected:
    void SetUp() override {
        ChromiumTest::SetUp();
        std::string name = (std::filesystem::temp_directory_path() / "troupe-XXXXXX").string();
        directory = ::mkdtemp(name.data());
        downloads = std::make_unique<Downloads>(browser, [this](const std::string& frame) {
            asked.push_back(frame);
            if (frame != owner) return std::optional<Downloads::Owner>();
            return std::optional(Downloads::Owner{
                .directory = directory,
                .context = context,
                .quota = quota,
                .changed = [this](const Download& changed) { cdp::note_download(noted, changed); }});
        });
        cdp::begin_download_setup(*browser, context, directory);
        serve_html("/", "<a href=/file download>get</a>");
        serve("/file", fakes::http_answer("200 OK", "content",
                                          "Content-Type: application/octet-stream\r\n"
                                          "Content-Disposition: attachment; filename=\"my report.txt\"\r\n"));
        page = open_page();
        owner = target;
    }
    void TearDown() override {
        // Not while the browser still writes there.
        process.reset();
        std::filesystem::remove_all(directory);
    }

    std::filesystem::path directory;
    std::string owner;
    std::vector<std::string> asked;
    std::vector<Download> noted;
    std::shared_ptr<engine::PageQuota> quota;
    std::unique_ptr<Downloads> downloads;
    SessionPtr page;
};

TEST_F(CdpDownloads, FollowADownloadToItsEnd) {
    navigate(page, site() + "/");
    evaluate(page, "document.querySelector('a').click()");
    run_until([&] { return !noted.empty() && noted[0].state != Download::State::Started; });

    ASSERT_EQ(noted.size(), 1);
    EXPECT_EQ(noted[0].state, Download::State::Finished);
    EXPECT_EQ(noted[0].url, site() + "/file");
    EXPECT_EQ(noted[0].suggested_name, "my report.txt");
    EXPECT_EQ(*read_file(noted[0].file), "content");
    EXPECT_EQ(noted[0].file.parent_path(), directory);
}

TEST_F(CdpDownloads, CountANavigationThatBecomesADownload) {
    auto answer = run(page->send("Page.navigate", {{"url", site() + "/file"}}));
    run_until([&] { return !noted.empty() && noted[0].state == Download::State::Finished; });

    EXPECT_EQ(text(*answer, "errorText"), "net::ERR_ABORTED");
}

TEST_F(CdpDownloads, SayThatADownloadFailed) {
    serve("/file", "HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\nContent-Length: 1000\r\n\r\npart");
    auto watch = browser->on("Browser.downloadProgress", [this](const json::object& params) {
        if (cdp::number_of(params, "receivedBytes") > 0)
            browser->post("Browser.cancelDownload",
                          {{"guid", cdp::text_of(params, "guid")}, {"browserContextId", context}});
    });
    page->post("Page.navigate", {{"url", site() + "/file"}});
    run_until([&] { return !noted.empty() && noted[0].state != Download::State::Started; });

    EXPECT_EQ(noted[0].state, Download::State::Failed);
}

TEST_F(CdpDownloads, EndAtTheirQuotaAndLeaveNoFile) {
    quota = std::make_shared<engine::PageQuota>(engine::PageLimits{.download_bytes = 10'000});
    serve("/file",
          fakes::http_answer("200 OK", std::string(20'000, 'x'), "Content-Type: application/zip\r\n"));
    page->post("Page.navigate", {{"url", site() + "/file"}});
    run_until([&] { return !noted.empty() && noted[0].state != Download::State::Started; });

    EXPECT_EQ(noted[0].state, Download::State::Failed);
    EXPECT_FALSE(std::filesystem::exists(noted[0].file));
    EXPECT_THAT(quota->take_refusals(), testing::ElementsAre(testing::HasSubstr("was cancelled")));
    EXPECT_TRUE(quota->has_room_for(10'000));
}

TEST_F(CdpDownloads, CountAsABlockOfTheDiskEach) {
    quota = std::make_shared<engine::PageQuota>(engine::PageLimits{.download_bytes = 10'000});
    page->post("Page.navigate", {{"url", site() + "/file"}});
    run_until([&] { return !noted.empty() && noted[0].state != Download::State::Started; });

    EXPECT_EQ(noted[0].state, Download::State::Finished);
    EXPECT_TRUE(quota->has_room_for(10'000 - 4096));
    EXPECT_FALSE(quota->has_room_for(10'000 - 4095));
}

TEST_F(CdpDownloads, LeaveOutThoseOfFramesThatNobodyKnows) {
    owner = "somebody else";
    page->post("Page.navigate", {{"url", site() + "/file"}});
    run_until([&] { return !asked.empty(); });

    EXPECT_EQ(asked.front(), target);
    EXPECT_THAT(noted, IsEmpty());
}

}  // namespace
