#include "session/workspace.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"

namespace {

using session::FileName;
using session::Workspace;
namespace fs = std::filesystem;

class WorkspaceTest : public testing::Test {
protected:
    WorkspaceTest() {
        options.working_directory = directory.path() / "work";
        options.now = [] { return fakes::kNow; };
        fs::create_directories(options.working_directory);
    }
    Workspace make() { return Workspace(options); }
    fs::path root() const { return options.working_directory; }

    fakes::TemporaryDirectory directory;
    session::SessionOptions options;
};

TEST_F(WorkspaceTest, NamesFilesAfterTheMomentAndPutsThemBesideTheWork) {
    auto file = make().output_file({.prefix = "page", .extension = "yml"});

    ASSERT_TRUE(file);
    EXPECT_EQ(*file, root() / ".playwright-mcp/page-2026-03-04T05-06-07-089Z.yml");
    EXPECT_TRUE(fs::is_directory(root() / ".playwright-mcp"));
}

TEST_F(WorkspaceTest, LeavesOtherSessionsTheirFiles) {
    Workspace mine = make(), other = make();
    fs::path first = mine.own_output_file("report.txt");
    fs::create_directories(first.parent_path());
    ASSERT_TRUE(session::write_output(first, "mine"));

    EXPECT_EQ(mine.own_output_file("report.txt"), first);
    EXPECT_EQ(other.own_output_file("report.txt"), first.parent_path() / "report-1.txt");
    EXPECT_FALSE(other.owns(first));
}

TEST_F(WorkspaceTest, TakesTheNextMillisecondForANameThatIsTaken) {
    Workspace workspace = make();
    ASSERT_TRUE(
        session::write_output(*workspace.output_file({.prefix = "page", .extension = "yml"}), "first"));

    EXPECT_EQ(workspace.output_file({.prefix = "page", .extension = "yml"})->filename(),
              "page-2026-03-04T05-06-07-090Z.yml");
}

TEST_F(WorkspaceTest, WritesToTheOutputDirectoryThatWasAskedFor) {
    options.output_dir = "out";
    EXPECT_EQ(make().output_dir(), root() / "out");
    options.output_dir = directory.path() / "elsewhere";
    EXPECT_EQ(make().output_dir(), directory.path() / "elsewhere");
}

TEST_F(WorkspaceTest, WritesToTheTemporaryDirectoryWhereTheWorkCannotBeWrittenTo) {
    Workspace workspace = make();
    workspace.set_root("/");
    EXPECT_EQ(workspace.output_dir(), fs::temp_directory_path() / ".playwright-mcp");
    workspace.set_root("/non/existent");
    EXPECT_EQ(workspace.output_dir(), fs::temp_directory_path() / ".playwright-mcp");
}

TEST_F(WorkspaceTest, PutsANamedFileIntoTheWorkspaceAndMakesItsDirectory) {
    auto file = make().output_file({.prefix = "page", .extension = "yml", .given = "sub/../deep/x.yml"});

    ASSERT_TRUE(file);
    EXPECT_EQ(*file, root() / "deep/x.yml");
    EXPECT_TRUE(fs::is_directory(root() / "deep"));
}

TEST_F(WorkspaceTest, RefusesFilesOutside) {
    auto file = make().resolve("../secret.txt");

    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::PolicyDenied);
    EXPECT_EQ(file.error().message, "File access denied: " + (directory.path() / "secret.txt").string() +
                                        " is outside allowed roots. Allowed roots: " +
                                        (root() / ".playwright-mcp").string() + ", " + root().string());
    EXPECT_FALSE(make().resolve("/etc/passwd"));
    // A neighbour whose name begins with ours.
    EXPECT_FALSE(make().resolve(root().string() + "-other/x"));
}

TEST_F(WorkspaceTest, RefusesALinkThatLeadsOutside) {
    fs::create_symlink("/etc", root() / "link");

    EXPECT_FALSE(make().resolve("link/passwd"));
    EXPECT_FALSE(make().output_file({.prefix = "x", .extension = "y", .given = "link/new.txt"}));
}

TEST_F(WorkspaceTest, RefusesALinkToAFileOutsideThatIsNotThereYet) {
    fs::create_symlink(directory.path() / "new.txt", root() / "link.txt");
    fs::create_symlink(directory.path() / "made", root() / "folder");

    EXPECT_FALSE(make().output_file({.prefix = "x", .extension = "y", .given = "link.txt"}));
    EXPECT_FALSE(make().output_file({.prefix = "x", .extension = "y", .given = "folder/deep/x.txt"}));
    EXPECT_FALSE(make().write(root() / "link.txt", "x"));
    EXPECT_FALSE(fs::exists(directory.path() / "new.txt"));
    EXPECT_FALSE(fs::exists(directory.path() / "made"));
}

TEST_F(WorkspaceTest, RefusesLinksThatLeadOutInSeveralStepsOrInCircles) {
    fs::create_symlink("b", root() / "a");
    fs::create_symlink("../" + root().filename().string() + "/../secret.txt", root() / "b");
    fs::create_symlink("round", root() / "round");

    EXPECT_FALSE(make().resolve("a"));
    EXPECT_FALSE(make().resolve("round"));
}

TEST_F(WorkspaceTest, FollowsLinksThatStayInside) {
    ASSERT_TRUE(session::write_output(root() / "real.txt", "text"));
    fs::create_symlink("real.txt", root() / "link.txt");

    EXPECT_EQ(*make().resolve("link.txt"), root() / "link.txt");
    EXPECT_EQ(*make().read(root() / "link.txt"), "text");
    ASSERT_TRUE(make().write(root() / "link.txt", "other"));
    EXPECT_EQ(*make().read(root() / "real.txt"), "other");
}

TEST_F(WorkspaceTest, JudgesAFileAgainWhenItIsUsed) {
    Workspace workspace = make();
    ASSERT_TRUE(session::write_output(directory.path() / "secret.txt", "secret"));
    fs::path file = *workspace.resolve("a.txt");
    fs::create_symlink(directory.path() / "secret.txt", file);

    EXPECT_EQ(workspace.read(file).error().code, ErrorCode::PolicyDenied);
    EXPECT_EQ(workspace.write(file, "x").error().code, ErrorCode::PolicyDenied);
    EXPECT_EQ(directory.read("secret.txt"), "secret");
}

TEST_F(WorkspaceTest, ReadsNothingButFiles) {
    ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);

    EXPECT_THAT(make().read(root() / "pipe").error().message, testing::HasSubstr("is not a file"));
    EXPECT_EQ(make().read(root() / "missing").error().code, ErrorCode::NotFound);
}

TEST_F(WorkspaceTest, RefusesADirectoryWithALinkThatLeadsOutside) {
    fs::create_directories(root() / "folder/below");
    EXPECT_TRUE(make().resolve_tree("folder"));
    fs::create_symlink("/etc/passwd", root() / "folder/below/notes.txt");

    EXPECT_EQ(make().resolve_tree("folder").error().code, ErrorCode::PolicyDenied);
}

TEST_F(WorkspaceTest, TellsOfWhatItRefuses) {
    std::vector<std::string> told;
    options.denied = [&](const std::string& what, const std::string& rule) {
        told.push_back(what + ", " + rule);
    };

    EXPECT_FALSE(make().resolve("/etc/passwd"));

    EXPECT_THAT(told, testing::ElementsAre("file /etc/passwd, the rule that files stay in the workspace"));
}

TEST_F(WorkspaceTest, PutsNothingIntoAnOutputDirectoryThatSomebodyElseHasLinked) {
    fs::create_directories(directory.path() / "elsewhere");
    fs::create_directory_symlink(directory.path() / "elsewhere", root() / ".playwright-mcp");

    EXPECT_EQ(make().output_dir(), fs::temp_directory_path() / ".playwright-mcp");
    EXPECT_FALSE(make().resolve(".playwright-mcp/x.txt"));
}

TEST_F(WorkspaceTest, WritesThroughNoLinkThatHasTheNameOfAFileOfOurs) {
    fs::path output = root() / ".playwright-mcp";
    fs::create_directories(output);
    fs::create_symlink(directory.path() / "new.yml", output / "page-2026-03-04T05-06-07-089Z.yml");
    fs::create_symlink(directory.path() / "new.txt", output / "report.txt");

    EXPECT_EQ(*make().output_file({.prefix = "page", .extension = "yml"}),
              output / "page-2026-03-04T05-06-07-090Z.yml");
    EXPECT_EQ(make().own_output_file("report.txt"), output / "report-1.txt");
    EXPECT_FALSE(session::write_output(output / "report.txt", "x"));
    EXPECT_FALSE(session::append_output(output / "report.txt", "x"));
    EXPECT_FALSE(fs::exists(directory.path() / "new.txt"));
}

TEST_F(WorkspaceTest, AllowsTheOutputDirectoryWhereverItIs) {
    options.output_dir = directory.path() / "out";

    EXPECT_TRUE(make().resolve((directory.path() / "out/x.txt").string()));
}

TEST_F(WorkspaceTest, AllowsEverythingWhenAskedTo) {
    options.allow_unrestricted_file_access = true;

    EXPECT_EQ(*make().resolve("/etc/passwd"), "/etc/passwd");
}

TEST_F(WorkspaceTest, FollowsTheClientToItsRoot) {
    Workspace workspace = make();
    fs::create_directories(directory.path() / "project");
    workspace.set_root(directory.path() / "project/");

    EXPECT_EQ(workspace.root(), directory.path() / "project");
    EXPECT_EQ(*workspace.resolve("a.txt"), directory.path() / "project/a.txt");
    EXPECT_FALSE(workspace.resolve((root() / "a.txt").string()));
}

TEST_F(WorkspaceTest, ShowsPathsRelativeToTheRoot) {
    Workspace workspace = make();

    EXPECT_EQ(workspace.printable(root() / ".playwright-mcp/page.yml"), ".playwright-mcp/page.yml");
    EXPECT_EQ(workspace.printable(root() / "a.png"), "./a.png");
    EXPECT_EQ(workspace.printable(root() / ".hidden"), ".hidden");
    EXPECT_EQ(workspace.printable(root() / "sub/a.png"), "sub/a.png");
    EXPECT_EQ(workspace.printable(directory.path() / "a.png"), "../a.png");
}

TEST_F(WorkspaceTest, ShowsWholePathsWhenAskedTo) {
    options.file_paths = session::FilePaths::Absolute;

    EXPECT_EQ(make().printable(root() / "a.png"), (root() / "a.png").string());
}

TEST_F(WorkspaceTest, RemovesTheOldestFilesOnceTheyAreTooMuch) {
    options.output_max_size = 250;
    fs::path output = root() / ".playwright-mcp";
    fs::create_directories(output / "sub");
    auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (std::string name : {"sub/a", "b", "c", "d"}) {
        ASSERT_TRUE(session::write_output(output / name, std::string(100, 'x')));
        fs::last_write_time(output / name, old += std::chrono::minutes(1));
    }

    make().trim_output({output / "b"});

    EXPECT_FALSE(fs::exists(output / "sub/a"));
    EXPECT_TRUE(fs::exists(output / "b"));  // just written
    EXPECT_FALSE(fs::exists(output / "c"));
    EXPECT_TRUE(fs::exists(output / "d"));
}

TEST_F(WorkspaceTest, KeepsEverythingWithoutALimit) {
    fs::create_directories(root() / ".playwright-mcp");
    ASSERT_TRUE(session::write_output(root() / ".playwright-mcp/a", "x"));

    make().trim_output({});

    EXPECT_TRUE(fs::exists(root() / ".playwright-mcp/a"));
}

TEST(PathFromUri, ReadsFileAddressesOnly) {
    using session::path_from_uri;
    EXPECT_EQ(path_from_uri("file:///home/me/my%20work"), "/home/me/my work");
    EXPECT_EQ(path_from_uri("file://localhost/home"), "/home");
    EXPECT_EQ(path_from_uri("file:///a?b#c"), "/a");
    EXPECT_FALSE(path_from_uri("bogus:///home"));
    EXPECT_FALSE(path_from_uri("file://host/share"));
    EXPECT_FALSE(path_from_uri("file:///a%00b"));
    EXPECT_FALSE(path_from_uri(""));
}

TEST(FileStamp, HasMillisecondsAndNoColons) {
    EXPECT_EQ(session::file_stamp(fakes::kNow), "2026-03-04T05-06-07-089Z");
    EXPECT_EQ(session::file_stamp(std::chrono::system_clock::time_point{}), "1970-01-01T00-00-00-000Z");
}

}  // namespace
