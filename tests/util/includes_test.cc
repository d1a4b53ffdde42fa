// The folders are the architecture: a file may include what its folder USES directly in CMakeLists.txt, and a
// folder USES nothing that none of its files includes.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

// By folder below src/; "." is src/ itself.
using Edges = std::map<std::string, std::set<std::string>>;

const fs::path kSource = TROUPE_SOURCE_DIR "/src";

// The build's own list: "mcp:tools;util" a line.
Edges declared_edges() {
    Edges edges;
    std::ifstream file(TROUPE_BINARY_DIR "/modules.txt");
    for (std::string line; std::getline(file, line);) {
        std::size_t colon = line.find(':');
        std::set<std::string>& used = edges[line.substr(0, colon)];
        std::stringstream names(line.substr(colon + 1));
        for (std::string name; std::getline(names, name, ';');) used.insert(name);
    }
    return edges;
}

// The folders of others that the text includes from.
std::set<std::string> included_folders(const std::string& folder, const std::string& text) {
    std::set<std::string> included;
    static const std::regex kInclude("#include \"([a-z_]+(?:/[a-z_]+)*)/[^\"/]+\"");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), kInclude); it != std::sregex_iterator();
         ++it) {
        if (it->str(1) != folder) included.insert(it->str(1));
    }
    return included;
}

std::string folder_of(const fs::path& file) {
    std::string folder = file.parent_path().lexically_relative(kSource).string();
    return folder;
}

bool is_source(const fs::path& file) { return file.extension() == ".cc" || file.extension() == ".h"; }

}  // namespace

TEST(IncludesPointDown, AlongTheDeclaredEdgesOnly) {
    Edges declared = declared_edges(), found;
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(kSource)) {
        if (!is_source(entry.path())) continue;
        std::string folder = folder_of(entry.path());
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        for (const std::string& used : included_folders(folder, text.str())) {
            found[folder].insert(used);
            EXPECT_TRUE(declared[folder].contains(used)) << entry.path() << " includes from " << used;
        }
        ++files;
    }
    EXPECT_GT(files, 500);
    for (const auto& [folder, uses] : declared) {
        for (const std::string& used : uses)
            EXPECT_TRUE(found[folder].contains(used)) << folder << " includes nothing from " << used;
    }
}

// The list is in order: nothing is used before it is declared, so there is no circle.
TEST(IncludesPointDown, AndNeverInACircle) {
    std::set<std::string> before;
    std::ifstream file(TROUPE_BINARY_DIR "/modules.txt");
    for (std::string line; std::getline(file, line);) {
        std::size_t colon = line.find(':');
        std::stringstream names(line.substr(colon + 1));
        for (std::string name; std::getline(names, name, ';');)
            EXPECT_TRUE(before.contains(name)) << line.substr(0, colon) << " uses " << name << " above it";
        before.insert(line.substr(0, colon));
    }
    EXPECT_GE(before.size(), 18u);
}

TEST(IncludesPointDown, FindsTheFolderOfAnInclude) {
    EXPECT_EQ(included_folders("util", "#include \"mcp/server.h\"\n#include \"util/json.h\"\n"),
              std::set<std::string>{"mcp"});
    EXPECT_EQ(included_folders("engine", "#include \"engine/cdp/page.h\"\n"),
              std::set<std::string>{"engine/cdp"});
}
