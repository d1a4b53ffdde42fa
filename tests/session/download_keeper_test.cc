#include "session/download_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using session::DownloadKeeper;
using session::safe_file_name;
using State = engine::Download::State;
using testing::ElementsAre;

class DownloadKeeperTest : public testing::Test {
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
    DownloadKeeper keeper{loop, page, workspace, redactor};
};

TEST_F(DownloadKeeperTest, TellsOfTheBeginningAndTheEndOnce) {
    begin(1, "a b.txt");
    EXPECT_THAT(keeper.take_events(), ElementsAre("Downloading file a b.txt ..."));
    EXPECT_TRUE(keeper.take_events().empty());

    end(1);
    EXPECT_THAT(keeper.take_events(), ElementsAre("Downloaded file a b.txt to \".playwright-mcp/a-b.txt\""));
    EXPECT_TRUE(keeper.take_events().empty());
    EXPECT_EQ(directory.read(".playwright-mcp/a-b.txt"), "data of a b.txt");
    EXPECT_FALSE(directory.has("cache/1"));
}

TEST_F(DownloadKeeperTest, NamesNoFileAfterASecret) {
    begin(1, "hunter2_x.txt");
    end(1);
    (void)keeper.take_events();

    EXPECT_EQ(directory.read(".playwright-mcp/-secret-NAME-secret-.txt"), "data of hunter2_x.txt");
}

TEST_F(DownloadKeeperTest, TellsBothOfAQuickOne) {
    begin(1, "a.txt");
    end(1);

    EXPECT_THAT(keeper.take_events(), ElementsAre("Downloading file a.txt ...",
                                                  "Downloaded file a.txt to \".playwright-mcp/a.txt\""));
}

TEST_F(DownloadKeeperTest, BringsAFileThatIsDoneAfterTheCall) {
    begin(1, "a.txt");
    keeper.take_events();
    end(1);

    fakes::run_until(loop, [&] { return directory.has(".playwright-mcp/a.txt"); });

    EXPECT_THAT(keeper.take_events(), ElementsAre("Downloaded file a.txt to \".playwright-mcp/a.txt\""));
}

TEST_F(DownloadKeeperTest, SaysNoMoreOfOneThatFailed) {
    begin(1, "a.txt");
    keeper.take_events();
    end(1, State::Failed);

    EXPECT_TRUE(keeper.take_events().empty());
}

TEST_F(DownloadKeeperTest, LeavesAFileWhereItIsWhenItCannotBeMoved) {
    begin(1, "a.txt");
    directory.write(".playwright-mcp", "in the way");
    end(1);

    EXPECT_THAT(keeper.take_events(),
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
