#include "tests/tools/support.h"
#include "tools/network_text.h"

namespace {

using engine::RequestEntry;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class BrowserNetwork : public fakes::ToolTest {
protected:
    BrowserNetwork() {
        call("browser_snapshot");
        add({.method = "GET",
             .url = "http://x/",
             .resource_type = "document",
             .status = 200,
             .status_text = "OK"});
        add({.method = "post",
             .url = "http://x/api",
             .resource_type = "fetch",
             .request_headers = {{"X-A", "b"}},
             .post_data = "{\"k\":1}",
             .status = 200,
             .status_text = "OK",
             .response_headers = {{"Content-Type", "application/json; charset=utf-8"},
                                  {"Date", "1"},
                                  {"date", "2"}},
             .duration = std::chrono::milliseconds(11)});
        add({.method = "GET",
             .url = "http://x/bin",
             .resource_type = "fetch",
             .status = 200,
             .status_text = "OK",
             .response_headers = {{"content-type", "image/png"}}});
        add({.method = "GET",
             .url = "http://x/n204",
             .resource_type = "xhr",
             .status = 204,
             .status_text = "No Content"});
        add({.method = "GET",
             .url = "http://no.invalid/",
             .resource_type = "image",
             .request_headers = {{"referer", "http://x/"}},
             .failure = "net::ERR_NAME_NOT_RESOLVED"});
        add({.method = "GET", .url = "data:image/png;base64,AAAA", .resource_type = "image"});
    }
    void add(RequestEntry request) { page().request_entries.push_back(std::move(request)); }
    std::string part(int index, std::string_view name) {
        return call("browser_network_request",
                    R"({"index": )" + std::to_string(index) + R"(, "part": ")" + std::string(name) + "\"}")
            .text;
    }
};

TEST_F(BrowserNetwork, ListsWhatIsNotStaticWithStableNumbers) {
    EXPECT_EQ(call("browser_network_requests").text,
              "### Result\n2. [POST] http://x/api => [200] OK\n3. [GET] http://x/bin => [200] OK\n4. [GET] "
              "http://x/n204 => [204] No Content\n"
              "5. [GET] http://no.invalid/ => [FAILED] net::ERR_NAME_NOT_RESOLVED\n6. [GET] "
              "data:image/png;base64,…\n"
              "\nNote: 1 static request not shown, run with \"static\" option to see it.");
}

TEST_F(BrowserNetwork, ListsEverything) {
    EXPECT_THAT(call("browser_network_requests", R"({"static": true})").text,
                HasSubstr("### Result\n1. [GET] http://x/ => [200] OK\n2. "));
}

TEST_F(BrowserNetwork, ListsRequestsOfEarlierDocumentsWithAll) {
    page().earlier_entries = {
        {.method = "GET", .url = "http://x/old", .resource_type = "fetch", .status = 200}};

    EXPECT_THAT(call("browser_network_requests", R"({"all": true})").text,
                AllOf(HasSubstr("### Result\n1. [GET] http://x/old"), HasSubstr("\n3. [POST] http://x/api")));
    EXPECT_THAT(call("browser_network_requests").text,
                AllOf(HasSubstr("### Result\n3. [POST] http://x/api"), Not(HasSubstr("/old"))));
    EXPECT_THAT(call("browser_network_request", R"({"index": 1})").text, HasSubstr("http://x/old"));
    EXPECT_THAT(call("browser_network_request", R"({"index": 3})").text, HasSubstr("http://x/api"));
    EXPECT_THAT(call("browser_network_request", R"({"index": 8})").text, HasSubstr("Request #8 not found"));
}

TEST_F(BrowserNetwork, ListsWhatMatchesTheFilter) {
    EXPECT_EQ(call("browser_network_requests", R"({"filter": "/api$|n204", "static": true})").text,
              "### Result\n2. [POST] http://x/api => [200] OK\n4. [GET] http://x/n204 => [204] No Content");
    EXPECT_EQ(call("browser_network_requests", R"({"filter": "/api", "static": true})").text,
              "### Result\n2. [POST] http://x/api => [200] OK");
}

TEST_F(BrowserNetwork, RefusesAFilterThatIsNoExpression) {
    auto outcome = call("browser_network_requests", R"({"filter": "[invalid("})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("Invalid arguments for tool \"browser_network_requests\":\n✖ Invalid "
                                        "regular expression\n  → at filter"));
}

TEST_F(BrowserNetwork, ListsNothingAsNothing) {
    page().clear_requests();
    EXPECT_EQ(call("browser_network_requests").text, "### Result\n");
    EXPECT_THAT(call("browser_network_requests", R"({"filename": "n.log"})").text,
                HasSubstr("- [Network](./n.log)"));
}

TEST_F(BrowserNetwork, ShowsARequestInFull) {
    EXPECT_EQ(call("browser_network_request", R"({"index": 2})").text,
              "### Result\n#2 [POST] http://x/api\n\n  General\n    status:    [200] OK\n    duration:  "
              "11ms\n    type:      fetch\n"
              "    mimeType:  application/json\n\n  Request headers\n    x-a: b\n\n  Response headers\n"
              "    content-type: application/json; charset=utf-8\n    date: 2\n\n"
              "Call browser_network_request with part=\"request-body\" to read the request body.\n"
              "Call browser_network_request with part=\"response-body\" to read the response body.");
    EXPECT_EQ(call("browser_network_request", R"({"index": 5})").text,
              "### Result\n#5 [GET] http://no.invalid/\n\n  General\n    status:    [FAILED] "
              "net::ERR_NAME_NOT_RESOLVED\n    type:      image\n"
              "\n  Request headers\n    referer: http://x/");
}

TEST_F(BrowserNetwork, ShowsThePartsOfARequest) {
    page().body = {.bytes = "{\"ok\":true}"};

    EXPECT_EQ(part(2, "request-headers"), "### Result\nx-a: b");
    EXPECT_EQ(part(2, "request-body"), "### Result\n{\"k\":1}");
    EXPECT_EQ(part(2, "response-headers"),
              "### Result\ncontent-type: application/json; charset=utf-8\ndate: 2");
    EXPECT_EQ(part(2, "response-body"), "### Result\n{\"ok\":true}");
}

TEST_F(BrowserNetwork, ShowsNothingForPartsThatAreNotThere) {
    EXPECT_EQ(part(3, "request-body"), "");
    EXPECT_EQ(part(4, "response-body"), "");
    EXPECT_EQ(part(5, "response-body"), "");
    EXPECT_EQ(part(5, "response-headers"), "");
}

TEST_F(BrowserNetwork, SaysWhyABodyThatWasThereCannotBeShown) {
    for (std::string file : {"", R"(, "filename": "body.txt")"}) {
        page().fail("response_body", {.code = ErrorCode::NotFound,
                                      .message = "The browser no longer has the body of http://x/api.",
                                      .hint = "Ask right after the request."});
        auto outcome =
            call("browser_network_request", R"({"index": 2, "part": "response-body")" + file + "}");
        EXPECT_FALSE(outcome.is_error);
        EXPECT_EQ(outcome.text,
                  "### Result\nThe browser no longer has the body of http://x/api.\n"
                  "Ask right after the request.");
    }
    EXPECT_FALSE(directory.has("body.txt"));
    // A response that has no body is no failure.
    page().fail("response_body", {.code = ErrorCode::NotFound, .message = "gone"});
    EXPECT_EQ(part(4, "response-body"), "");
}

TEST_F(BrowserNetwork, SavesABinaryBody) {
    page().body = {.bytes = std::string("\x89PNG\0\x01", 6), .is_text = false};

    EXPECT_EQ(part(3, "response-body"), "### Result\n.playwright-mcp/response-2026-03-04T05-06-07-089Z.png");
    EXPECT_EQ(directory.read(".playwright-mcp/response-2026-03-04T05-06-07-089Z.png"),
              std::string("\x89PNG\0\x01", 6));
}

TEST_F(BrowserNetwork, SaysWhichRequestItDoesNotHave) {
    auto outcome = call("browser_network_request", R"({"index": 999})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text,
              "### Error\nRequest #999 not found. Use browser_network_requests to see available indexes.");
    EXPECT_THAT(call("browser_network_request", R"({"index": 0})").text, HasSubstr("→ at index"));
}

TEST(NetworkText, KnowsTextByItsType) {
    for (std::string type : {"text/html", "text/plain; charset=utf-8", "application/json",
                             "application/ld+json", "image/svg+xml", "application/xhtml+xml",
                             "application/x-www-form-urlencoded", "application/javascript"}) {
        EXPECT_TRUE(tools::is_text_type(type)) << type;
    }
    for (std::string type : {"image/png", "application/octet-stream", "", "application/pdf"})
        EXPECT_FALSE(tools::is_text_type(type)) << type;
}

TEST(NetworkText, NamesFilesAfterTheirType) {
    EXPECT_EQ(tools::extension_for("image/png"), "png");
    EXPECT_EQ(tools::extension_for("image/jpeg; q=1"), "jpg");
    EXPECT_EQ(tools::extension_for("image/svg+xml"), "xml");
    EXPECT_EQ(tools::extension_for("text/plain"), "txt");
    EXPECT_EQ(tools::extension_for("application/x-../../etc"), "xetc");
    EXPECT_EQ(tools::extension_for(""), "bin");
}

}  // namespace
