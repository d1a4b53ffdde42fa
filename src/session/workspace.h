// The files of a session: where it writes, what it may touch, and how answers name them.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "session/options.h"
#include "util/result.h"

namespace session {

// A file that a tool writes: the name that the agent gave, else prefix-<time>.extension.
struct FileName {
    std::string prefix;
    std::string extension;
    std::string given = {};
    std::optional<std::chrono::system_clock::time_point> time = {};  // unset: now
};

class Workspace {
public:
    // Keeps a reference to the options.
    explicit Workspace(const SessionOptions& options);

    const std::filesystem::path& root() const { return root_; }
    // What the client calls its workspace.
    void set_root(std::filesystem::path root);
    // Made when the first file goes there.
    std::filesystem::path output_dir() const;

    // The absolute path of a file that the agent names. PolicyDenied unless it lies, links followed, in the
    // workspace or in the output directory.
    Result<std::filesystem::path> resolve(std::string_view name) const;
    // The same for a file that is to be read: nothing in it leads elsewhere, should it be a directory.
    Result<std::filesystem::path> resolve_tree(std::string_view name) const;
    // Where such a file is, links followed.
    Result<std::filesystem::path> real(const std::filesystem::path& file) const;
    // Judged again at this very moment: no link that was put there since is followed.
    Result<std::string> read(const std::filesystem::path& file) const;
    Result<void> write(const std::filesystem::path& file, std::string_view bytes) const;
    // A path to write to. Its directory exists; names that we make up are not taken yet.
    Result<std::filesystem::path> output_file(const FileName& name) const;

    // Other sessions may write to the same directory: what is this one's own is remembered.
    void own(const std::filesystem::path& file) { own_.insert(file); }
    bool owns(const std::filesystem::path& file) const { return own_.contains(file); }
    // A path in the output directory that is nobody else's: the name, or one with a number to it.
    std::filesystem::path own_output_file(const std::string& name);
    // A page's file was kept there.
    void note_download(const std::filesystem::path& file) { downloads_.insert(file); }
    const std::set<std::filesystem::path>& downloads() const { return downloads_; }

    // The path as answers show it: relative to the root, unless asked otherwise.
    std::string printable(const std::filesystem::path& file) const;
    std::string relative(const std::filesystem::path& file) const;

    // Removes the oldest files of the output directory until it fits its limit; those in `keep` stay.
    void trim_output(const std::set<std::filesystem::path>& keep) const;

private:
    Error denied(const std::filesystem::path& file) const;

    const SessionOptions& options_;
    std::filesystem::path root_;
    std::set<std::filesystem::path> own_, downloads_;
};

// For files that we name ourselves. A link in a file's place is not followed.
Result<void> write_output(const std::filesystem::path& file, std::string_view bytes);
Result<void> append_output(const std::filesystem::path& file, std::string_view bytes);
// 2026-11-15T17-19-14-464Z
std::string file_stamp(std::chrono::system_clock::time_point time);
// The directory that a file: URI names; nothing for another URI.
std::optional<std::filesystem::path> path_from_uri(std::string_view uri);

}  // namespace session
