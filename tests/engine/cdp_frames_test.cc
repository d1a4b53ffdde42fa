// Frames and their documents, with the browser's messages in every order that they can come in.
#include "engine/cdp/frames.h"
#include "tests/engine/cdp_scripted.h"

using testing::HasSubstr;
using testing::Not;

namespace {

class CdpFrames : public ScriptedBrowserTest {
protected:
    CdpFrames() {
        session = connection->session("tab");
        frames.attach(session);
    }
    ~CdpFrames() override { settle(); }

    void navigated(const std::string& frame, const std::string& loader,
                   const std::string& type = "Navigation", const std::string& parent = "") {
        json::object info{{"id", frame}, {"loaderId", loader}, {"url", "http://site/" + loader}};
        if (!parent.empty()) info["parentId"] = parent;
        event("tab", "Page.frameNavigated", {{"frame", info}, {"type", type}});
    }
    void context(const std::string& frame, int id, const std::string& name) {
        event("tab", "Runtime.executionContextCreated",
              {{"context",
                json::object{{"id", id},
                             {"uniqueId", "unique" + std::to_string(id)},
                             {"name", name},
                             {"auxData", json::object{{"isDefault", name.empty()}, {"frameId", frame}}}}}});
    }
    void cleared() { event("tab", "Runtime.executionContextsCleared", {}); }
    // The world of the document, as context `id`; gives the number that was claimed for it.
    std::string make_world(const std::string& frame, int id, std::optional<int> number = {}) {
        Command making = next("Page.createIsolatedWorld");
        EXPECT_EQ(cdp::text_of(making.params, "frameId"), frame);
        context(frame, id, "troupe");
        answer(making, {{"executionContextId", id}});
        answer(next("Runtime.evaluate"), {{"result", json::object{}}});
        Command claim = next("Runtime.evaluate");
        std::string expression = cdp::text_of(claim.params, "expression");
        std::string claimed = expression.substr(expression.find('(') + 1);
        claimed.pop_back();
        answer(claim, {{"result", json::object{{"value", number.value_or(std::stoi(claimed))}}}});
        return claimed;
    }
    Running call(const std::string& frame) {
        return start(frames.call(frame, "() => 1", {}, cdp::Scripts::Snapshot),
                     [this](Result<json::value> result) { outcome = std::move(result); });
    }
    Running call_in_page() {
        return start(frames.call_in_page("main", "() => 1", {}),
                     [this](Result<json::value> result) { outcome = std::move(result); });
    }
    static json::object value(int number) { return {{"result", json::object{{"value", number}}}}; }
    static json::object tree(const std::string& loader, json::array children = {}) {
        std::string url = loader.empty() ? "" : "http://site/" + loader;
        return {{"frameTree",
                 json::object{{"frame", json::object{{"id", "main"}, {"loaderId", loader}, {"url", url}}},
                              {"childFrames", std::move(children)}}}};
    }
    static json::object child(const std::string& id, const std::string& loader) {
        return {
            {"frame",
             json::object{
                 {"id", id}, {"loaderId", loader}, {"parentId", "main"}, {"url", "http://site/" + loader}}}};
    }

    std::shared_ptr<cdp::Session> session;
    cdp::Frames frames{"main"};
    std::optional<Result<json::value>> outcome;
};

TEST_F(CdpFrames, AnOlderTreeDoesNotReplaceANewerDocument) {
    frames.ask_tree(session);
    Command asked = next("Page.getFrameTree");

    // Both in one read: nobody who waits has gone on in between.
    answer(asked, tree(""));
    navigated("main", "popup");
    settle();

    EXPECT_EQ(frames.main()->url, "http://site/popup");
    EXPECT_EQ(frames.main()->loader, "popup");
}

TEST_F(CdpFrames, ATreeThatDoesNotComeIsAnError) {
    std::optional<Result<void>> taken;
    frames.ask_tree(session, [&](Result<void> result) { taken = std::move(result); });

    refuse(next("Page.getFrameTree"), "gone");

    ASSERT_TRUE(taken);
    EXPECT_FALSE(*taken);
}

TEST_F(CdpFrames, ACallThatMeetsARedirectRunsWithTheNextDocumentsNumber) {
    navigated("main", "first");
    EXPECT_EQ(make_world("main", 1), "0");
    Running running = call("main");
    Command calling = next("Runtime.callFunctionOn");
    EXPECT_EQ(cdp::text_of(calling.params, "uniqueContextId"), "unique1");

    cleared();
    navigated("main", "second");
    refuse(calling, "Execution context was destroyed.");

    EXPECT_EQ(make_world("main", 2), "1");
    Command again = next("Runtime.callFunctionOn");
    EXPECT_EQ(cdp::text_of(again.params, "uniqueContextId"), "unique2");
    answer(again, value(5));
    fakes::run_until(loop, [&] { return outcome.has_value(); });
    EXPECT_EQ(frames.find_numbered(1), frames.main());
    EXPECT_EQ(frames.find_numbered(0), nullptr);
}

TEST_F(CdpFrames, AWorldOfADocumentThatWentIsNotUsed) {
    navigated("main", "first");
    Command making = next("Page.createIsolatedWorld");
    context("main", 1, "troupe");

    // In one read: the answer, and the next document, whose process uses the same number for something else.
    answer(making, {{"executionContextId", 1}});
    cleared();
    navigated("main", "second");
    context("main", 1, "");
    settle();

    EXPECT_EQ(make_world("main", 2), "1");
    settle();
    ASSERT_TRUE(frames.main()->world);
    EXPECT_EQ(frames.main()->world->context.unique, "unique2");
}

TEST_F(CdpFrames, TheNumberThatTheDocumentHasCounts) {
    navigated("main", "first");
    navigated("main", "second");
    // The first one's world was never made.
    (void)next("Page.createIsolatedWorld");
    make_world("main", 3, 7);
    settle();

    EXPECT_EQ(frames.find_numbered(7), frames.main());
}

TEST_F(CdpFrames, ADocumentFromTheBackForwardCacheHasItsNumberAgain) {
    navigated("main", "a");
    event("tab", "Page.frameAttached", {{"frameId", "inner"}, {"parentFrameId", "main"}});
    navigated("inner", "in", "Navigation", "main");
    cleared();
    navigated("main", "b");
    EXPECT_EQ(frames.main()->number, 2);
    EXPECT_EQ(frames.find("inner"), nullptr);

    // As Chromium says it: the contexts first, those of inner frames before those around them.
    cleared();
    context("inner", 5, "");
    context("main", 4, "");
    navigated("main", "a", "BackForwardCacheRestore");
    answer(next("Page.getFrameTree"), tree("a", {child("inner", "in")}));
    settle();

    EXPECT_EQ(frames.find_numbered(0), frames.main());
    EXPECT_EQ(frames.find_numbered(1), frames.find("inner"));
    EXPECT_EQ(frames.children("main").size(), 1);
    EXPECT_TRUE(frames.main()->lifecycle.contains("load"));

    cleared();
    navigated("main", "b", "BackForwardCacheRestore");
    EXPECT_EQ(frames.main()->number, 2);
    navigated("main", "c");
    EXPECT_GT(frames.main()->number, 2);
}

TEST_F(CdpFrames, RemembersOnlyAsManyPagesAsMayComeBack) {
    for (int i = 0; i < 40; ++i) navigated("main", "page" + std::to_string(i));

    navigated("main", "page38", "BackForwardCacheRestore");
    EXPECT_EQ(frames.main()->number, 38);
    navigated("main", "page1", "BackForwardCacheRestore");
    EXPECT_EQ(frames.main()->number, 40);
}

TEST_F(CdpFrames, AnElementOfADocumentThatWentIsNotSentToTheNext) {
    navigated("main", "first");
    make_world("main", 1);
    settle();
    cdp::RemoteElement element(session, "main", "object1", "unique1");
    cleared();
    navigated("main", "second");
    make_world("main", 2);
    settle();
    sent.clear();

    auto clicked = fakes::run_task(loop, frames.call("main", "element => 1", {cdp::Argument(element)}));

    ASSERT_FALSE(clicked);
    EXPECT_THAT(clicked.error().message, HasSubstr("navigated away"));
    for (const Command& each : sent) EXPECT_NE(each.method, "Runtime.callFunctionOn");
}

TEST_F(CdpFrames, RawProtocolTextAboutADocumentThatWentIsNotPassedOn) {
    navigated("main", "first");
    make_world("main", 1);
    settle();
    cdp::RemoteElement element(session, "main", "object1", "unique1");
    for (std::string_view text : {"Argument should belong to the same JavaScript world as target object",
                                  "Cannot find context with specified id", "uniqueContextId not found"}) {
        outcome.reset();
        Running running = start(frames.call("main", "element => 1", {cdp::Argument(element)}),
                                [this](Result<json::value> result) { outcome = std::move(result); });
        refuse(next("Runtime.callFunctionOn"), text);
        fakes::run_until(loop, [&] { return outcome.has_value(); });
        ASSERT_FALSE(*outcome);
        EXPECT_THAT(outcome->error().message, Not(HasSubstr("Protocol error"))) << text;
    }
}

TEST_F(CdpFrames, ThePagesOwnScriptWaitsForTheNextDocument) {
    navigated("main", "first");
    context("main", 1, "");
    Running running = call_in_page();
    Command calling = next("Runtime.callFunctionOn");

    cleared();
    refuse(calling, "uniqueContextId not found");
    settle();
    EXPECT_FALSE(outcome);
    context("main", 2, "");

    Command again = next("Runtime.callFunctionOn");
    EXPECT_EQ(cdp::text_of(again.params, "uniqueContextId"), "unique2");
    answer(again, value(5));
    fakes::run_until(loop, [&] { return outcome.has_value(); });
    EXPECT_TRUE(*outcome);
}

TEST_F(CdpFrames, ThePagesOwnScriptIsNotRunTwice) {
    navigated("main", "first");
    context("main", 1, "");
    Running running = call_in_page();

    refuse(next("Runtime.callFunctionOn"), "Execution context was destroyed.");
    fakes::run_until(loop, [&] { return outcome.has_value(); });

    ASSERT_FALSE(*outcome);
    EXPECT_EQ(outcome->error().message,
              "Execution context was destroyed, most likely because of a navigation.");
}

}  // namespace
