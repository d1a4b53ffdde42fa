// A directory for one test, gone with it, and small shell scripts in it that play a program.
#pragma once

#include <filesystem>
#include <fstream>
#include <signal.h>
#include <stdlib.h>
#include <string>

#include "util/files.h"

class TestDirectory {
public:
    TestDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "doctor-test-XXXXXX").string();
        if (!::mkdtemp(name.data())) std::abort();
        path_ = name;
    }
    ~TestDirectory() { std::filesystem::remove_all(path_); }
    TestDirectory(const TestDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

    std::filesystem::path add_script(const std::string& name, const std::string& body) const {
        std::filesystem::path file = path_ / name;
        std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return file;
    }

private:
    std::filesystem::path path_;
};

// $TMPDIR points to `directory` while this lives, so that a test sees what is left in it.
class TempDirOverride {
public:
    explicit TempDirOverride(const std::filesystem::path& directory) : before_(environment("TMPDIR")) {
        ::setenv("TMPDIR", directory.c_str(), 1);
    }
    ~TempDirOverride() { before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1); }

private:
    std::string before_;
};

// Whether the process whose id a script wrote to `file` still exists.
inline bool is_alive(const std::filesystem::path& file) {
    return ::kill(static_cast<pid_t>(std::stol(read_file(file).value_or("0"))), 0) == 0;
}
