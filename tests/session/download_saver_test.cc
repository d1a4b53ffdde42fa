#include "session/download_saver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using session::DownloadSaver;
using session::safe_file_name;
using State = engine::Download::State;
using testing::ElementsAre;

class DownloadSaverTest : public testing::Test {
protected:
    void begin(std::uint64_t number, const std::string& name) {
        directory.write("cache/" + std::to_string(number), "data of " + name);
        page.download_list.push_back({.number = number,
                                      .suggested_name = name,
                                      .file = directory.path() / "cache" / std::to_string(number)});
    }
    void end(std::uint64_t number, State state = State::Finished) {
        page.download_list[number - 1].state = state;
    }

    Loop loop;
    fakes::TemporaryDirectory directory;
    session::SessionOptions options{.working_directory = directory.path()};
    session::Workspace workspace{options};
    fakes::FakePage page{loop};
    Redactor redactor{std::map<std::string, std::string>{{"NAME", "hunter2!x"}}};
    DownloadSaver saver{loop, page, workspace, redactor};
};

TEST_F(DownloadSaverTest, TellsOfTheBeginningAndTheEndOnce) {
    begin(1, "a b.txt");
    EXPECT_THAT(saver.take_events(), ElementsAre("Downloading file a b.txt ..."));
    EXPECT_TRUE(saver.take_events().empty());

    end(1);
    EXPECT_THAT(saver.take_events(), ElementsAre("Downloaded file a b.txt to \".playwright-mcp/a-b.txt\""));
    EXPECT_TRUE(saver.take_events().empty());
    EXPECT_EQ(directory.read(".playwright-mcp/a-b.txt"), "data of a b.txt");
    EXPECT_FALSE(directory.has("cache/1"));
}

TEST_F(DownloadSaverTest, NamesNoFileAfterASecret) {
    begin(1, "hunter2_x.txt");
    end(1);
    (void)saver.take_events();

    EXPECT_EQ(directory.read(".playwright-mcp/-secret-NAME-secret-.txt"), "data of hunter2_x.txt");
}

TEST_F(DownloadSaverTest, PutsFilesAlsoWhereTheyAreWanted) {
    options.downloads_path = directory.path() / "mine";
    directory.write("mine/a.txt", "older");
    begin(1, "a.txt");
    end(1);

    (void)saver.take_events();
    (void)saver.take_events();

    EXPECT_EQ(directory.read("mine/a.txt"), "older");
    EXPECT_EQ(directory.read("mine/a-1.txt"), "data of a.txt");
    EXPECT_FALSE(directory.has("mine/a-2.txt"));
    EXPECT_EQ(directory.read(".playwright-mcp/a.txt"), "data of a.txt");
}

TEST_F(DownloadSaverTest, SaysWhyAFileIsNotWhereItIsWanted) {
    directory.write("file", "");
    options.downloads_path = directory.path() / "file" / "mine";
    begin(1, "a.txt");
    end(1);

    EXPECT_THAT(saver.take_events(), testing::Contains(testing::StartsWith("It is not in ")));
}

TEST_F(DownloadSaverTest, TellsBothOfAQuickOne) {
    begin(1, "a.txt");
    end(1);

    EXPECT_THAT(saver.take_events(), ElementsAre("Downloading file a.txt ...",
                                                 "Downloaded file a.txt to \".playwright-mcp/a.txt\""));
}

TEST_F(DownloadSaverTest, BringsAFileThatIsDoneAfterTheCall) {
    begin(1, "a.txt");
    saver.take_events();
    end(1);

    fakes::run_until(loop, [&] { return directory.has(".playwright-mcp/a.txt"); });

    EXPECT_THAT(saver.take_events(), ElementsAre("Downloaded file a.txt to \".playwright-mcp/a.txt\""));
}

TEST_F(DownloadSaverTest, SaysNoMoreOfOneThatFailed) {
    begin(1, "a.txt");
    saver.take_events();
    end(1, State::Failed);

    EXPECT_TRUE(saver.take_events().empty());
}

TEST_F(DownloadSaverTest, LeavesAFileWhereItIsWhenItCannotBeMoved) {
    begin(1, "a.txt");
    directory.write(".playwright-mcp", "in the way");
    end(1);

    EXPECT_THAT(saver.take_events(),
                ElementsAre("Downloading file a.txt ...", "Downloaded file a.txt to \"cache/1\""));
}

TEST(SafeFileName, KeepsNothingThatLeadsElsewhere) {
    EXPECT_EQ(safe_file_name("te st.txt"), "te-st.txt");
    EXPECT_EQ(safe_file_name("../../etc/passwd"), "-.-etc-passwd");
    EXPECT_EQ(safe_file_name("a/b\\c:d.tar.gz"), "a-b-c-d-tar.gz");
    EXPECT_EQ(safe_file_name("a-b_c"), "a-b-c");
    EXPECT_EQ(safe_file_name("größe.pdf"), "größe.pdf");
    EXPECT_EQ(safe_file_name(".."), "-.");
    EXPECT_EQ(safe_file_name(""), "download");
    EXPECT_EQ(safe_file_name("nameless"), "nameless");
}

}  // namespace
