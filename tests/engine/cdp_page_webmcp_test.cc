// How often a page is asked for the tools that it offers.
#include "tests/engine/cdp_tab.h"

namespace {

// Counts who looks, and has tools as soon as it is told to.
constexpr const char* kPage = R"(<script>
  window.looks = 0;
  Object.defineProperty(navigator, 'modelContext', {
    get() { ++looks; return window.offer && { getTools: async () => [{ name: offer }] }; } });
</script><iframe srcdoc="<p>inner"></iframe>)";

class CdpPageTools : public CdpTabTest {
protected:
    void SetUp() override {
        CdpTabTest::SetUp();
        show(kPage);
        ASSERT_TRUE(run(page->wait_for_load(engine::LoadState::Load, soon())));
        value("window.looks = 0");
    }
    std::vector<std::string> tools() {
        std::vector<std::string> names;
        for (const engine::PageTool& tool : run(page->page_tools(soon())).value()) names.push_back(tool.name);
        return names;
    }
    // As a tool that acts on the page does.
    void act(const std::string& script) {
        auto done = run(page->act(evaluate(script), std::chrono::milliseconds(100)));
        ASSERT_TRUE(done) << done.error().to_string();
    }

private:
    Task<> evaluate(std::string script) { (void)co_await page->evaluate(script, nullptr, soon()); }
};

TEST_F(CdpPageTools, IsNotAskedAgainAtOnceWhenThereWereNone) {
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(tools().empty());
    EXPECT_EQ(value("looks"), "1");
}

TEST_F(CdpPageTools, IsAskedAgainAfterWhateverWasDone) {
    EXPECT_TRUE(tools().empty());
    act("window.offer = 'search'");
    EXPECT_THAT(tools(), testing::ElementsAre("search"));
    value("window.offer = 'buy'");
    EXPECT_THAT(tools(), testing::ElementsAre("buy")) << "one that has tools is asked each time";
}

TEST_F(CdpPageTools, IsAskedAgainAfterAWhile) {
    EXPECT_TRUE(tools().empty());
    value("window.offer = 'search'");
    std::vector<std::string> names;
    fakes::run_until(loop, [&] { return !(names = tools()).empty(); });
    EXPECT_THAT(names, testing::ElementsAre("search"));
}

TEST_F(CdpPageTools, AsksTheNextDocument) {
    EXPECT_TRUE(tools().empty());
    show(std::string("<script>window.offer = 'search'</script>") + kPage);
    EXPECT_THAT(tools(), testing::ElementsAre("search"));
}

}  // namespace
