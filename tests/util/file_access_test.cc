// One boundary for files: what a client names is opened by session::Workspace and by nobody else.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

// Folders whose code is given names by clients.
constexpr const char* kFolders[] = {"browsers", "session",  "tools", "mcp", "transport",
                                    "record",   "upstream", "api",   "cli"};

// Files that open others, and whose names those are. None of them is a client's.
const std::map<std::string, std::string> kAllowed = {
    {"browsers/process_memory.cc", "/proc"},
    {"session/workspace.cc", "the boundary"},
    {"session/real_path.cc", "what the boundary opens files with"},
    {"session/real_path.h", "what the boundary opens files with"},
    {"session/output_directory.cc", "directories that the operator or we chose"},
    {"session/video.cc", "the operator's directory for videos"},
    {"session/har.cc", "the operator's file for the network"},
    {"tools/prompt_files.cc", "the operator's directory of prompts"},
    {"transport/http_server.cc", "the operator's socket"},
    {"record/call_recorder.cc", "what an upstream server wrote, named page-<time>.yml"},
    {"cli/command_line.cc", "the command line's"},
    {"record/open.cc", "our own directory of state"},
    {"record/linked_files.cc", "what an upstream server wrote during the call, by the boundary's own means"},
    {"upstream/tool_cache.cc", "our cache"},
};

std::vector<std::string> file_accesses(const std::string& text) {
    static const std::regex kAccess(
        R"(\b[io]?fstream\b|\bfopen\(|[^A-Za-z0-9_>]::(open|openat|creat|mkdir|mkdirat|rename|renameat2?|unlink|link|symlink|truncate|stat|lstat|chmod)\()"
        R"(|\b(filesystem|fs)::(create_|rename|copy|remove|exists|is_[a-z_]+\(|file_size|status|symlink_status|last_write|resize|permissions|(recursive_)?directory_iterator))"
        R"(|[^_.>a-z](read_file|write_file|open_without_links|make_directories_without_links)\()");
    std::vector<std::string> found;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), kAccess); it != std::sregex_iterator();
         ++it)
        found.push_back(it->str());
    return found;
}

std::string read(const fs::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

TEST(FileAccess, GoesThroughTheWorkspace) {
    int files = 0;
    for (const char* folder : kFolders) {
        for (const auto& entry :
             fs::recursive_directory_iterator(TROUPE_SOURCE_DIR "/src/" + std::string(folder))) {
            if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
            std::string name = entry.path().lexically_relative(TROUPE_SOURCE_DIR "/src").string();
            ++files;
            auto accesses = file_accesses(read(entry.path()));
            if (kAllowed.contains(name)) {
                EXPECT_FALSE(accesses.empty()) << name << " opens nothing any more: take it off the list";
                continue;
            }
            for (const std::string& access : accesses)
                ADD_FAILURE() << name << " uses " << access << ": open files with session::Workspace";
        }
    }
    EXPECT_GT(files, 100);
    for (const auto& [name, whose] : kAllowed)
        EXPECT_TRUE(fs::exists(TROUPE_SOURCE_DIR "/src/" + name)) << name << " is on the list of " << whose;
}

TEST(FileAccess, IsFoundInWhateverSpelling) {
    for (const char* line :
         {"std::ofstream out(name);", "int fd = ::open(name, 0);", "fs::rename(a, b, error);",
          "std::filesystem::create_directories(a);", "auto text = TRY(read_file(path));",
          "fs::recursive_directory_iterator it(a);", "std::filesystem::is_regular_file(a)"})
        EXPECT_EQ(file_accesses(line).size(), 1u) << line;
    EXPECT_TRUE(file_accesses("session.workspace().read(file); fs::path a; output.open(name);").empty());
}

}  // namespace
