#include <fstream>

#include "engine/cdp/dialogs.h"
#include "tests/engine/cdp_chromium.h"

using cdp::Dialogs;
using engine::Modal;
using testing::HasSubstr;
using testing::IsEmpty;
using Files = std::vector<std::filesystem::path>;

namespace {

class CdpDialogs : public ChromiumTest {
protected:
    void SetUp() override {
        ChromiumTest::SetUp();
        page = open_page([this](const SessionPtr& session) { dialogs.attach(session); });
    }
    // Runs script without waiting for it: a dialog would stop it.
    void begin(const std::string& script) {
        page->post("Runtime.evaluate", {{"expression", script}, {"userGesture", true}});
    }
    const Modal& opened(const std::string& script) {
        std::size_t before = dialogs.open().size();
        begin(script);
        run_until([&] { return dialogs.open().size() > before; });
        return dialogs.open().back();
    }
    std::string file(const std::string& name, const std::string& content) {
        auto path = directory / name;
        std::ofstream(path) << content;
        return path.string();
    }
    void TearDown() override {
        ChromiumTest::TearDown();
        std::filesystem::remove_all(directory);
    }

    Dialogs dialogs{loop};
    SessionPtr page;
    std::filesystem::path directory = [] {
        std::string name = (std::filesystem::temp_directory_path() / "troupe-XXXXXX").string();
        return std::filesystem::path(::mkdtemp(name.data()));
    }();
};

TEST_F(CdpDialogs, ShowsADialogUntilItIsAnswered) {
    const Modal& modal = opened("answer = confirm('Sure?')");
    EXPECT_EQ(modal.kind, Modal::Kind::Dialog);
    EXPECT_EQ(modal.dialog_type, "confirm");
    EXPECT_EQ(modal.message, "Sure?");
    EXPECT_EQ(modal.number, 1);

    ASSERT_TRUE(run(dialogs.answer_dialog(true, {})));

    EXPECT_THAT(dialogs.open(), IsEmpty());
    EXPECT_EQ(evaluate(page, "answer"), true);
}

TEST_F(CdpDialogs, GivesAPromptItsText) {
    opened("answer = prompt('Name?', 'nobody')");
    ASSERT_TRUE(run(dialogs.answer_dialog(true, "Ada")));
    EXPECT_EQ(evaluate_text(page, "answer"), "Ada");

    opened("answer = prompt('Name?')");
    ASSERT_TRUE(run(dialogs.answer_dialog(false, {})));
    EXPECT_EQ(evaluate_text(page, "answer"), "null");
}

TEST_F(CdpDialogs, ShowsTheNextDialogAfterTheFirst) {
    opened("alert('one'); alert('two')");

    ASSERT_TRUE(run(dialogs.answer_dialog(true, {})));
    run_until([&] { return !dialogs.open().empty(); });

    EXPECT_EQ(dialogs.open().front().message, "two");
    EXPECT_EQ(dialogs.open().front().number, 2);
    ASSERT_TRUE(run(dialogs.answer_dialog(true, {})));
}

TEST_F(CdpDialogs, ForgetsADialogThatSomebodyElseClosed) {
    opened("alert('hello')");

    ASSERT_TRUE(run(page->send("Page.handleJavaScriptDialog", {{"accept", true}})));
    run_until([&] { return dialogs.open().empty(); });

    EXPECT_EQ(run(dialogs.answer_dialog(true, {})).error().message, "No dialog visible");
}

TEST_F(CdpDialogs, WakesEveryoneWhoWaits) {
    int woken = 0;
    Running first = start(dialogs.wait_for_modal(), [&](Result<void> result) { woken += result ? 1 : 0; });
    Running second = start(dialogs.wait_for_modal(), [&](Result<void> result) { woken += result ? 1 : 0; });
    Running dropped = start(dialogs.wait_for_modal(), [&](Result<void>) { woken += 10; });
    dropped.cancel();

    opened("alert('hello')");
    run_until([&] { return woken == 2; });

    bool late = false;
    Running third = start(dialogs.wait_for_modal(), [&](Result<void>) { late = true; });
    ASSERT_TRUE(run(dialogs.answer_dialog(true, {})));
    EXPECT_FALSE(late) << "what was open before does not count";
    EXPECT_EQ(woken, 2);
}

TEST_F(CdpDialogs, TellsThoseWhoWaitThatThePageIsGone) {
    auto own = std::make_unique<Dialogs>(loop);
    std::optional<Result<void>> outcome;
    Running waiting =
        start(own->wait_for_modal(), [&](Result<void> result) { outcome.emplace(std::move(result)); });

    own.reset();
    run_until([&] { return outcome.has_value(); });

    EXPECT_EQ(outcome->error().code, ErrorCode::BrowserCrashed);
}

TEST_F(CdpDialogs, ForgetsWhatAClosedPageHadOpen) {
    opened("alert('hello')");

    browser->post("Target.closeTarget", {{"targetId", target}});

    run_until([&] { return dialogs.open().empty(); });
}

TEST_F(CdpDialogs, GivesAFileChooserItsFiles) {
    show(page, "<input type=file multiple onchange=\"names = [...this.files].map(f => f.name).join()\">");
    const Modal& modal = opened("document.querySelector('input').click()");
    EXPECT_EQ(modal.kind, Modal::Kind::FileChooser);
    EXPECT_TRUE(modal.takes_several_files);

    ASSERT_TRUE(run(dialogs.answer_file_chooser(Files{file("a.txt", "A"), file("b.txt", "B")})));

    EXPECT_THAT(dialogs.open(), IsEmpty());
    EXPECT_EQ(evaluate_text(page, "names"), "a.txt,b.txt");
    EXPECT_EQ(evaluate_text(page, "document.querySelector('input').files[1].text()"), "B");
}

TEST_F(CdpDialogs, RefusesSeveralFilesWhereOneIsWanted) {
    show(page, "<input type=file>");
    EXPECT_FALSE(opened("document.querySelector('input').click()").takes_several_files);

    auto answered = run(dialogs.answer_file_chooser(Files{file("a.txt", "A"), file("b.txt", "B")}));

    EXPECT_THAT(answered.error().message, HasSubstr("can only accept single file"));
    EXPECT_EQ(dialogs.open().size(), 1) << "another file can be tried";
}

TEST_F(CdpDialogs, RefusesFilesWhereADirectoryIsWantedAndTheOtherWayRound) {
    show(page, "<input type=file id=files multiple><input type=file id=tree webkitdirectory>");
    opened("document.querySelector('#tree').click()");
    EXPECT_THAT(run(dialogs.answer_file_chooser(Files{file("a.txt", "A")})).error().message,
                HasSubstr("requires passing a path to a directory"));
    ASSERT_TRUE(run(dialogs.answer_file_chooser(Files{directory})));
    EXPECT_EQ(evaluate_text(page, "document.querySelector('#tree').files[0].name"), "a.txt");

    opened("document.querySelector('#files').click()");
    auto refused = run(dialogs.answer_file_chooser(Files{directory}));
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("does not support directories"));
    EXPECT_EQ(evaluate(page, "document.querySelector('#files').files.length"), 0);
    EXPECT_EQ(dialogs.open().size(), 1);
}

TEST_F(CdpDialogs, ClearsAFileInputWithAnEmptyList) {
    show(page, "<input type=file onchange='changes = (self.changes ?? 0) + 1'>");
    opened("document.querySelector('input').click()");
    ASSERT_TRUE(run(dialogs.answer_file_chooser(Files{file("a.txt", "A")})));

    opened("document.querySelector('input').click()");
    ASSERT_TRUE(run(dialogs.answer_file_chooser(Files())));

    EXPECT_THAT(dialogs.open(), IsEmpty());
    EXPECT_EQ(evaluate(page, "document.querySelector('input').files.length"), 0);
    EXPECT_EQ(evaluate(page, "changes"), 2);
}

TEST_F(CdpDialogs, CancelsAFileChooserThatIsGivenNothing) {
    show(page, "<input type=file>");
    opened("document.querySelector('input').click()");

    ASSERT_TRUE(run(dialogs.answer_file_chooser(std::nullopt)));

    EXPECT_THAT(dialogs.open(), IsEmpty());
    EXPECT_EQ(run(dialogs.answer_file_chooser(std::nullopt)).error().message, "No file chooser visible");
}

TEST_F(CdpDialogs, ShowsWhatAFrameOfAnotherProcessOpensOnce) {
    serve_html("/inner", "<input type=file onchange='name_ = this.files[0].name'>");
    std::string other = "http://localhost" + site().substr(site().rfind(':'));
    serve_html("/", "<iframe src='" + other + "/inner'></iframe>");
    SessionPtr frame;
    auto watch = page->on("Target.attachedToTarget", [&](const json::object& params) {
        frame = process->connection()->session(cdp::text_of(params, "sessionId"));
        dialogs.attach(frame);
        frame->post("Page.enable");
        frame->post("Runtime.runIfWaitingForDebugger");
    });
    ASSERT_TRUE(run(page->send("Target.setAutoAttach",
                               {{"autoAttach", true}, {"waitForDebuggerOnStart", true}, {"flatten", true}})));
    navigate(page, site() + "/");
    ASSERT_TRUE(frame);

    frame->post("Runtime.evaluate", {{"expression", "answer = confirm('inner')"}});
    run_until([&] { return !dialogs.open().empty(); });
    EXPECT_TRUE(run(page->send("Page.getNavigationHistory")));
    EXPECT_EQ(dialogs.open().size(), 1);
    ASSERT_TRUE(run(dialogs.answer_dialog(true, {})));
    EXPECT_EQ(evaluate(frame, "answer"), true);
    EXPECT_THAT(dialogs.open(), IsEmpty());

    frame->post("Runtime.evaluate",
                {{"expression", "document.querySelector('input').click()"}, {"userGesture", true}});
    run_until([&] { return !dialogs.open().empty(); });
    ASSERT_TRUE(run(dialogs.answer_file_chooser(Files{file("a.txt", "A")})));
    EXPECT_EQ(evaluate_text(frame, "name_"), "a.txt");
}

TEST_F(CdpDialogs, KeepsADialogAndAFileChooserApart) {
    show(page, "<input type=file>");
    opened("document.querySelector('input').click()");
    opened("alert('hello')");
    ASSERT_EQ(dialogs.open().size(), 2);

    ASSERT_TRUE(run(dialogs.answer_dialog(true, {})));

    ASSERT_EQ(dialogs.open().size(), 1);
    EXPECT_EQ(dialogs.open().front().kind, Modal::Kind::FileChooser);
}

}  // namespace
