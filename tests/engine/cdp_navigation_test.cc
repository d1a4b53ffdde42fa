#include "tests/engine/cdp_tab.h"

namespace {

class CdpNavigation : public CdpTabTest {
protected:
    // Hangs up on every request once it is down.
    bool down = false;
    fakes::HttpServer unsteady{
        loop, [this](const fakes::HttpRequest& request, const auto& connection) {
            if (down) return connection->close();
            std::string status = request.target == "/one" ? "200 OK" : "404 Not Found";
            connection->write(fakes::http_answer(status, "shown",
                                                 "Content-Type: text/html\r\nCache-Control: no-store\r\n"));
        }};
    std::string address(const std::string& path) const {
        std::string url = unsteady.url();
        return url.substr(0, url.rfind('/')) + path;
    }
    void expect_failure(const Error& error, const std::string& path) {
        EXPECT_EQ(error.code, ErrorCode::NetworkError);
        EXPECT_EQ(error.message, "net::ERR_EMPTY_RESPONSE at " + address(path));
        EXPECT_EQ(page->url(), "chrome-error://chromewebdata/");
        EXPECT_FALSE(page->document_status());
    }
};

TEST_F(CdpNavigation, FailsWhereAReloadOrAStepThroughTheHistoryFails) {
    ASSERT_TRUE(run(page->navigate(address("/one"), soon())));
    ASSERT_TRUE(run(page->navigate(address("/two"), soon())));
    EXPECT_EQ(page->document_status()->status, 404);
    down = true;

    expect_failure(run(page->reload(engine::Page::Cache::Ignore, soon())).error(), "/two");
    expect_failure(run(page->go_back(soon())).error(), "/one");
    expect_failure(run(page->go_forward(soon())).error(), "/two");
    down = false;
    ASSERT_TRUE(run(page->reload(engine::Page::Cache::Ignore, soon())));
    EXPECT_EQ(page->document_status()->status, 404);
}

TEST_F(CdpNavigation, KnowsTheStatusOfTheDocumentThatIsShown) {
    show("<title>one</title>");
    visit("/missing");
    EXPECT_EQ(page->document_status()->status, 404);
    ASSERT_TRUE(run(page->go_back(soon())));
    EXPECT_EQ(page->document_status()->status, 200);
    ASSERT_TRUE(run(page->go_forward(soon())));
    EXPECT_EQ(page->document_status()->status, 404);
    ASSERT_TRUE(run(page->navigate("data:text/html,x", soon())));
    EXPECT_FALSE(page->document_status());
}

}  // namespace
