// The files that another server's answers link to: an agent reads them, so they get what answers get.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/redactor.h"
#include "util/untrusted_mark.h"

namespace record {

// Removes secrets and passwords from such files, and marks their text as that of pages. Lives on the loop;
// `clean` runs anywhere.
class LinkedFiles {
public:
    enum class Marks { No, Yes };
    enum class NamedBy { Server, Agent };

    // A console log grows, and its lines are known by their numbers. Any other file is written once.
    enum class Form { Whole, Lines };
    // The state in which a file was left.
    struct Left {
        std::optional<UntrustedMark> mark = {};
        std::size_t bytes = 0, lines = 0;
        std::string recent = {};  // its last lines, without marks
    };
    struct Job {
        std::filesystem::path file;                                       // without links
        std::optional<std::chrono::system_clock::time_point> since = {};  // left alone if older
        Form form = Form::Whole;
        Marks marks = Marks::No;
        Left left = {};
    };
    struct Cleaned {
        std::string text;              // without secrets, passwords and marks
        std::size_t lines_before = 0;  // number of lines of a log that precede it
        Left left = {};
    };

    explicit LinkedFiles(Marks marks) : marks_(marks) {}

    // The names of the files that an answer's text links to.
    static std::vector<std::string> names_in(std::string_view text);

    // Nothing when the file must be left alone. A file with a name from the agent must be inside the
    // directory and have changed since the call began: text of a page may look like a link, and must not
    // change others.
    std::optional<Job> job(const std::filesystem::path& directory, const std::string& name, NamedBy named_by,
                           std::chrono::system_clock::time_point since) const;
    // Leaves the file without secrets and passwords, and with marks. Nothing when it is no text file.
    static std::optional<Cleaned> clean(const Job& job, const Redactor& secrets, const Redactor& passwords);
    void keep(const std::filesystem::path& file, Left left);

private:
    Marks marks_;
    std::map<std::filesystem::path, Left> left_;
};

}  // namespace record
