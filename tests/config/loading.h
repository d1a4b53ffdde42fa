// What the tests of this folder share: loading without the real environment, and files to load.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "config/load.h"

namespace config {

// A directory of the test's own, gone at its end.
class Directory {
public:
    Directory() {
        std::string name = (std::filesystem::temp_directory_path() / "troupe-config-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~Directory() { std::filesystem::remove_all(path_); }

    const std::filesystem::path& path() const { return path_; }

    std::string write(const std::string& name, std::string_view text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << text;
        return name;
    }

private:
    std::filesystem::path path_;
};

inline Result<Loaded> load_flags(std::vector<std::string> flags, Environment environment = {}) {
    return load(flags, environment, "/project");
}

// Loads a file that says `text`, with further flags.
inline Result<Loaded> load_file(std::string_view text, std::vector<std::string> flags = {},
                                Environment environment = {}) {
    Directory directory;
    flags.push_back("--config=" + directory.write("troupe.conf", text));
    return load(flags, environment, directory.path());
}

// For what must load; the test stops with the error otherwise.
inline Loaded loaded(Result<Loaded> result) {
    if (!result) {
        ADD_FAILURE() << result.error().to_string();
        return {};
    }
    return std::move(*result);
}

inline Error error_of(Result<Loaded> result) {
    if (result) {
        ADD_FAILURE() << "loads, and should not";
        return {};
    }
    return std::move(result).error();
}

inline std::string origin_of(const Loaded& from, Key key) { return from.values.at(key).origin.to_string(); }

}  // namespace config
