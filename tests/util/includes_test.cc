// The folders are the architecture: an #include may point only to what a module USES.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace {

using Modules = std::map<std::string, std::set<std::string>>;

// What the build wrote down: "mcp:tools" a line, with `;` between several.
Modules read_modules() {
    Modules modules;
    std::ifstream file(TROUPE_BINARY_DIR "/modules.txt");
    for (std::string line; std::getline(file, line);) {
        std::size_t colon = line.find(':');
        std::set<std::string>& used = modules[line.substr(0, colon)];
        std::stringstream names(line.substr(colon + 1));
        for (std::string name; std::getline(names, name, ';');) used.insert(name);
    }
    return modules;
}

bool may_use(const Modules& modules, const std::string& from, const std::string& to) {
    if (from == to) return true;
    for (const std::string& used : modules.at(from)) {
        if (may_use(modules, used, to)) return true;
    }
    return false;
}

std::vector<std::string> wrong_includes(const Modules& modules, const std::string& module,
                                        const std::string& file_name, const std::string& text) {
    std::vector<std::string> wrong;
    static const std::regex kInclude("#include \"([a-z_]+)/([^\"]+)\"");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), kInclude); it != std::sregex_iterator();
         ++it) {
        std::string target = (*it)[1];
        if (!modules.contains(target) || !may_use(modules, module, target))
            wrong.push_back(file_name + " includes " + it->str(1) + "/" + it->str(2));
    }
    return wrong;
}

}  // namespace

TEST(IncludesPointDown, InEveryModule) {
    Modules modules = read_modules();
    ASSERT_GE(modules.size(), 5u);
    int files = 0;
    for (const auto& [module, used] : modules) {
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(TROUPE_SOURCE_DIR "/src/" + module)) {
            if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
            std::stringstream text;
            text << std::ifstream(entry.path()).rdbuf();
            for (const std::string& wrong :
                 wrong_includes(modules, module, entry.path().filename(), text.str()))
                ADD_FAILURE() << wrong;
            ++files;
        }
    }
    EXPECT_GT(files, 50);
}

TEST(IncludesPointDown, AnUpwardOneIsFound) {
    Modules modules = read_modules();
    EXPECT_EQ(wrong_includes(modules, "util", "x.cc", "#include \"mcp/server.h\"\n").size(), 1u);
    EXPECT_EQ(wrong_includes(modules, "transport", "x.cc", "#include \"util/json.h\"\n").size(), 0u);
}
