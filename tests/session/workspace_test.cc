#include "session/workspace.h"

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>

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
        options.private_directory = directory.path() / "private";
        options.now = [] { return fakes::kNow; };
        fs::create_directories(options.working_directory);
    }
    static void put(const fs::path& file, std::string_view text) { std::ofstream(file) << text; }
    static mode_t mode_of(const fs::path& file) {
        struct stat status{};
        ::stat(file.c_str(), &status);
        return status.st_mode & 0777;
    }
    // As a browser leaves what was downloaded.
    fs::path arrived(std::string_view text) const {
        put(directory.path() / "arrived", text);
        return directory.path() / "arrived";
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
    fs::path output = mine.output_dir();

    EXPECT_EQ(*mine.take_in(arrived("mine"), "report.txt"), output / "report.txt");
    EXPECT_EQ(*other.take_in(arrived("other"), "report.txt"), output / "report-1.txt");
    EXPECT_FALSE(other.owns(output / "report.txt"));
    // One's own is replaced.
    EXPECT_EQ(*mine.take_in(arrived("new"), "report.txt"), output / "report.txt");
    EXPECT_EQ(*mine.read(output / "report.txt"), "new");
    EXPECT_EQ(*other.read(output / "report-1.txt"), "other");
}

TEST_F(WorkspaceTest, WritesNoSecretWhateverTheFormat) {
    using namespace std::string_literals;
    Redactor redactor(std::map<std::string, std::string>{{"PIN", "256"}, {"PASSWORD", "Xk9vQ2mLz7"}});
    Workspace workspace = make();
    workspace.set_redactor(&redactor);
    auto written = [&](const char* name, std::string_view bytes) {
        EXPECT_TRUE(workspace.write(root() / name, bytes));
        return workspace.read(root() / name).value();
    };
    EXPECT_EQ(written("a.txt", "\0 256 Xk9vQ2mLz7"s), "\0 <secret>PIN</secret> <secret>PASSWORD</secret>"s);
    EXPECT_EQ(written("a.png", "\x89\0 256 Xk9vQ2mLz7"s), "\x89\0 256 **********"s);
    EXPECT_EQ(written("a.json", R"({"expires": 1795256000.5, "n": 256, "v": "256"})"),
              R"({"expires": 1795256000.5, "n": "<secret>PIN</secret>", "v": "<secret>PIN</secret>"})");
}

TEST_F(WorkspaceTest, TakesAFileInWithoutItsOtherName) {
    fs::path file = arrived("text"), other = directory.path() / "other";
    fs::create_hard_link(file, other);
    Workspace workspace = make();

    fs::path taken = *workspace.take_in(file, "report.txt");
    ASSERT_TRUE(workspace.write(taken, "changed"));

    EXPECT_EQ(directory.read("other"), "text");
    EXPECT_FALSE(fs::exists(file));
}

TEST_F(WorkspaceTest, TakesTheNextMillisecondForANameThatIsTaken) {
    Workspace workspace = make();
    ASSERT_TRUE(workspace.write(*workspace.output_file({.prefix = "page", .extension = "yml"}), "first"));

    EXPECT_EQ(workspace.output_file({.prefix = "page", .extension = "yml"})->filename(),
              "page-2026-03-04T05-06-07-090Z.yml");
}

TEST_F(WorkspaceTest, WritesToTheOutputDirectoryThatWasAskedFor) {
    options.output_dir = "out";
    EXPECT_EQ(make().output_dir(), root() / "out");
    options.output_dir = directory.path() / "elsewhere";
    EXPECT_EQ(make().output_dir(), directory.path() / "elsewhere");
}

TEST_F(WorkspaceTest, WritesToAPrivateDirectoryWhereTheWorkCannotBeWrittenTo) {
    Workspace workspace = make();
    workspace.set_root("/non/existent");

    EXPECT_EQ(workspace.output_dir(), options.private_directory / ".playwright-mcp");
    EXPECT_EQ(mode_of(options.private_directory), 0700u);
}

TEST_F(WorkspaceTest, MakesNoWorkspaceOfARootOrHomeDirectory) {
    const fs::path home = std::getenv("HOME");
    for (const fs::path& wide :
         {fs::path("/"), fs::path("//"), home, home / ".." / home.filename(), home.parent_path()}) {
        Workspace workspace = make();
        workspace.set_root(wide);

        EXPECT_EQ(workspace.root(), options.private_directory) << wide;
        EXPECT_THAT(workspace.note(), testing::HasSubstr("is no workspace")) << wide;
        EXPECT_FALSE(workspace.resolve("/etc/shadow")) << wide;
        EXPECT_TRUE(workspace.resolve("a.txt")) << wide;
    }
    EXPECT_EQ(make().note(), "");
}

TEST_F(WorkspaceTest, KeepsItsOutputToItself) {
    Workspace workspace = make();
    fs::path file = *workspace.output_file({.prefix = "page", .extension = "yml"});
    ASSERT_TRUE(workspace.write(file, "x"));
    ASSERT_TRUE(workspace.make_directory(workspace.output_dir() / "traces"));

    EXPECT_EQ(mode_of(workspace.output_dir()), 0700u);
    EXPECT_EQ(mode_of(workspace.output_dir() / "traces"), 0700u);
    EXPECT_EQ(mode_of(file), 0600u);
}

TEST_F(WorkspaceTest, ClosesAnOutputDirectoryThatIsThereAlready) {
    fs::create_directories(root() / ".playwright-mcp");
    fs::permissions(root() / ".playwright-mcp", fs::perms::all);

    ASSERT_TRUE(make().output_file({.prefix = "page", .extension = "yml"}));

    EXPECT_EQ(mode_of(root() / ".playwright-mcp"), 0700u);
}

TEST_F(WorkspaceTest, RefusesAnOutputDirectoryThatEverybodyCanWriteTo) {
    options.output_dir = directory.path() / "out";
    fs::create_directories(options.output_dir);
    fs::permissions(options.output_dir, fs::perms::all);

    auto file = make().output_file({.prefix = "page", .extension = "yml"});

    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::PolicyDenied);
    EXPECT_THAT(file.error().message, testing::HasSubstr("everybody can write to it"));
}

TEST_F(WorkspaceTest, WritesNoNamesWithALeadingDot) {
    for (std::string name : {".vscode/tasks.json", "a/.git/hooks/pre-commit", ".envrc", "b/../.ssh/x"}) {
        auto file = make().output_file({.prefix = "x", .extension = "y", .given = name});
        ASSERT_FALSE(file) << name;
        EXPECT_EQ(file.error().code, ErrorCode::PolicyDenied);
        EXPECT_FALSE(make().write(root() / name, "x")) << name;
        EXPECT_FALSE(make().make_directory((root() / name).parent_path() / ".d")) << name;
    }
    EXPECT_TRUE(fs::is_empty(root()));
    EXPECT_TRUE(make().output_file({.prefix = "x", .extension = "y", .given = ".playwright-mcp/x.txt"}));

    options.writable_dot_names = {".auth"};
    EXPECT_TRUE(make().write(root() / "playwright/.auth/user.json", "x"));
    EXPECT_FALSE(make().write(root() / ".authority/x", "x"));
    options.writable_dot_names = {"*"};
    EXPECT_TRUE(make().write(root() / ".vscode/tasks.json", "x"));
}

TEST_F(WorkspaceTest, WritesNoDottedDirectoryThroughALinkWithAnotherName) {
    fs::create_directories(root() / ".git");
    fs::create_directory_symlink(".git", root() / "plain");

    EXPECT_FALSE(make().write(root() / "plain/config", "x"));
    EXPECT_TRUE(fs::is_empty(root() / ".git"));
}

// A folder that was made for one client.
class OwnFolderTest : public WorkspaceTest {
protected:
    OwnFolderTest() {
        options.working_directory = directory.path() / "out/clients/bot";
        options.own_folder = true;
        fs::create_directories(directory.path() / "out/clients/ann");
        put(directory.path() / "out/clients/ann/state.json", "hers");
    }
};

TEST_F(OwnFolderTest, IsMadeWithItsFirstFileAndIsNobodyElses) {
    Workspace workspace = make();
    ASSERT_TRUE(workspace.write(*workspace.resolve("sub/a.txt"), "x"));

    EXPECT_EQ(mode_of(root()), 0700u);
    EXPECT_EQ(mode_of(root().parent_path()), 0700u);
    EXPECT_EQ(mode_of(root() / "sub/a.txt"), 0600u);
    EXPECT_EQ(workspace.output_dir(), root() / ".playwright-mcp");
}

TEST_F(OwnFolderTest, ShowsItsFilesAsTheyAreFoundFromTheServersDirectory) {
    options.profile_directory = directory.path();
    Workspace workspace = make();
    fs::path file = root() / ".playwright-mcp/page.yml";
    ASSERT_TRUE(workspace.write(file, "x"));

    std::string shown = workspace.printable(file);
    EXPECT_EQ(shown, "out/clients/bot/.playwright-mcp/page.yml");
    EXPECT_EQ(*workspace.resolve(shown), file);
    EXPECT_EQ(*workspace.resolve(".playwright-mcp/page.yml"), file);
    // The same way leads to nobody else's.
    EXPECT_EQ(*workspace.resolve("out/clients/ann/state.json"), root() / "out/clients/ann/state.json");
    options.profile_directory = directory.path() / "elsewhere";
    EXPECT_EQ(make().printable(file), file.string());
}

TEST_F(OwnFolderTest, LeavesTheModesOfADirectoryThatItsClientNamed) {
    fs::path project = directory.path() / "home/project";
    fs::create_directories(project);
    ::chmod(project.c_str(), 0755);
    ::chmod(project.parent_path().c_str(), 0755);
    Workspace workspace = make();
    workspace.set_root(project);
    ASSERT_TRUE(workspace.write(*workspace.resolve("a.txt"), "x"));

    EXPECT_EQ(mode_of(project), 0755u);
    EXPECT_EQ(mode_of(project.parent_path()), 0755u);
}

TEST_F(OwnFolderTest, NamesNothingOfItsNeighbours) {
    fs::create_directories(root());
    for (std::string name : {"../ann/state.json", "../ann", "..", "/etc/shadow", "/proc/self/root/etc/shadow",
                             "/proc/self/cwd", "a/../../ann/state.json", "../ann/new.json"}) {
        EXPECT_FALSE(make().resolve(name)) << name;
        EXPECT_FALSE(make().resolve_tree(name)) << name;
        EXPECT_FALSE(make().write(root() / name, "x")) << name;
        EXPECT_FALSE(make().find(root() / name)) << name;
    }
    EXPECT_EQ(directory.read("out/clients/ann/state.json"), "hers");
    EXPECT_FALSE(make().resolve(std::string("a\0b", 3)));
}

TEST_F(OwnFolderTest, FollowsNoLinkAtAll) {
    fs::create_directories(root() / "real");
    put(root() / "real/a.txt", "mine");
    fs::create_directory_symlink("real", root() / "inside");
    fs::create_directory_symlink("../ann", root() / "outside");
    fs::create_symlink("../ann/state.json", root() / "state.json");

    for (std::string name : {"inside/a.txt", "outside/state.json", "state.json"}) {
        EXPECT_FALSE(make().resolve(name)) << name;
        EXPECT_FALSE(make().read(root() / name)) << name;
        EXPECT_FALSE(make().write(root() / name, "x")) << name;
    }
    EXPECT_FALSE(make().resolve_tree("."));
    EXPECT_EQ(directory.read("out/clients/ann/state.json"), "hers");
}

TEST_F(OwnFolderTest, UsesNoFileThatHasAnotherNameElsewhere) {
    fs::create_directories(root());
    fs::create_hard_link(directory.path() / "out/clients/ann/state.json", root() / "state.json");

    EXPECT_FALSE(make().read(root() / "state.json"));
    EXPECT_FALSE(make().write(root() / "state.json", "x"));
    EXPECT_FALSE(make().append(root() / "state.json", "x"));
    EXPECT_FALSE(make().create(root() / "state.json"));
    EXPECT_FALSE(make().resolve_tree("state.json"));
    EXPECT_FALSE(make().resolve_tree("."));
    EXPECT_EQ(directory.read("out/clients/ann/state.json"), "hers");
}

// Somebody swaps a directory for a link between looking and opening, as often as they can.
TEST_F(OwnFolderTest, LosesNoRaceBetweenLookingAndOpening) {
    fs::create_directories(root() / "folder");
    fs::create_directory_symlink("../ann", root() / "link");
    std::atomic<bool> done = false;
    std::jthread swapping([&] {
        fs::path a = root() / "folder", b = root() / "link";
        while (!done) ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
    });

    Workspace workspace = make();
    for (int i = 0; i < 200; ++i) {
        (void)workspace.write(root() / "folder/state.json", "mine");
        if (auto text = workspace.read(root() / "folder/state.json")) EXPECT_EQ(*text, "mine");
    }

    done = true;
    swapping.join();
    EXPECT_EQ(directory.read("out/clients/ann/state.json"), "hers");
}

TEST_F(WorkspaceTest, IsForItsUserAlone) {
    EXPECT_TRUE(make().admit(false));
    options.for_same_user = true;
    EXPECT_TRUE(make().admit(true));
    EXPECT_EQ(make().admit(false).error().code, ErrorCode::PolicyDenied);
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
    put(root() / "real.txt", "text");
    fs::create_symlink("real.txt", root() / "link.txt");

    EXPECT_EQ(*make().resolve("link.txt"), root() / "link.txt");
    EXPECT_EQ(*make().read(root() / "link.txt"), "text");
    ASSERT_TRUE(make().write(root() / "link.txt", "other"));
    EXPECT_EQ(*make().read(root() / "real.txt"), "other");
}

TEST_F(WorkspaceTest, JudgesAFileAgainWhenItIsUsed) {
    Workspace workspace = make();
    put(directory.path() / "secret.txt", "secret");
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
    std::vector<std::string> reported;
    options.denied = [&](const std::string& what, const std::string& rule) {
        reported.push_back(what + ", " + rule);
    };

    EXPECT_FALSE(make().resolve("/etc/passwd"));

    EXPECT_THAT(reported,
                testing::ElementsAre("file /etc/passwd, the rule that files stay in the workspace"));
}

TEST_F(WorkspaceTest, PutsNothingIntoAnOutputDirectoryThatSomebodyElseHasLinked) {
    fs::create_directories(directory.path() / "elsewhere");
    fs::create_directory_symlink(directory.path() / "elsewhere", root() / ".playwright-mcp");

    EXPECT_EQ(make().output_dir(), options.private_directory / ".playwright-mcp");
    EXPECT_FALSE(make().resolve(".playwright-mcp/x.txt"));
}

TEST_F(WorkspaceTest, LeavesClientsWhatTheyNamedThemselves) {
    options.output_max_size = 1;
    fs::path output = root() / ".playwright-mcp", folder = output / "clients/bot";
    options.trimmed_directory = output;
    fs::create_directories(folder / ".playwright-mcp");
    for (const fs::path& file : {folder / "state.json", folder / ".playwright-mcp/page.yml"}) put(file, "xx");

    make().trim_output({});

    EXPECT_TRUE(fs::exists(folder / "state.json"));
    EXPECT_FALSE(fs::exists(folder / ".playwright-mcp/page.yml"));
}

TEST_F(WorkspaceTest, PutsNothingIntoAnOutputDirectoryThatWasReplacedByALink) {
    Workspace workspace = make();
    ASSERT_TRUE(workspace.output_file({.prefix = "page", .extension = "yml"}));
    fs::create_directories(directory.path() / "elsewhere");
    fs::remove_all(root() / ".playwright-mcp");
    fs::create_directory_symlink(directory.path() / "elsewhere", root() / ".playwright-mcp");

    EXPECT_FALSE(workspace.output_file({.prefix = "page", .extension = "yml"}));
    EXPECT_FALSE(workspace.write(root() / ".playwright-mcp/a.yml", "x"));
    EXPECT_FALSE(workspace.take_in(arrived("x"), "report.txt"));
    EXPECT_TRUE(fs::is_empty(directory.path() / "elsewhere"));
}

TEST_F(WorkspaceTest, WritesThroughNoLinkThatHasTheNameOfAFileOfOurs) {
    fs::path output = root() / ".playwright-mcp";
    fs::create_directories(output);
    fs::create_symlink(directory.path() / "new.yml", output / "page-2026-03-04T05-06-07-089Z.yml");
    fs::create_symlink(directory.path() / "new.txt", output / "report.txt");

    EXPECT_EQ(*make().output_file({.prefix = "page", .extension = "yml"}),
              output / "page-2026-03-04T05-06-07-090Z.yml");
    EXPECT_EQ(*make().take_in(arrived("x"), "report.txt"), output / "report-1.txt");
    EXPECT_FALSE(make().write(output / "report.txt", "x"));
    EXPECT_FALSE(make().append(output / "report.txt", "x"));
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
        put(output / name, std::string(100, 'x'));
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
    put(root() / ".playwright-mcp/a", "x");

    make().trim_output({});

    EXPECT_TRUE(fs::exists(root() / ".playwright-mcp/a"));
}

TEST(UriOfPath, IsReadBack) {
    EXPECT_EQ(session::uri_of_path("/home/me/my work"), "file:///home/me/my%20work");
    EXPECT_EQ(session::path_from_uri(session::uri_of_path("/a#b/c%d")), "/a#b/c%d");
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
