// The files of a session: where it writes, what it may touch, and how answers name them. The only way from a
// name that a client gave to an open file.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "session/options.h"
#include "util/redactor.h"
#include "util/result.h"
#include "util/spawn.h"

namespace session {

// A file that a tool writes: the name that the agent gave, else prefix-<time>.extension.
struct FileName {
    std::string prefix;
    std::string extension;
    std::string given = {};
    std::optional<std::chrono::system_clock::time_point> time = {};  // unset: now
};

// Facts about the file under a name.
struct FileFacts {
    bool is_file = false;  // else a directory, or something that cannot be read
    bool is_link = false;  // the name is a link to it
    std::uintmax_t size = 0;
};

// Names lead only to files in the workspace and in the output directory, all links followed. A client's own
// folder has no links at all, and no file with another name elsewhere. Each file is checked again when it is
// opened: links added since are not followed.
class Workspace {
public:
    // Keeps a reference to the options.
    explicit Workspace(const SessionOptions& options);
    // Removes secrets from everything that is written. Borrowed.
    void set_redactor(const Redactor* redactor) { redactor_ = redactor; }

    const std::filesystem::path& root() const { return root_; }
    // Sets the workspace that the client names, which is no folder of ours. For a root or home directory, the
    // root is a private one instead.
    void set_root(std::filesystem::path root);
    // Reports that replacement; empty when the root is the named directory.
    std::string note() const;
    // The directory that the browser's profile belongs to.
    const std::filesystem::path& profile_directory() const;
    // Fails for a network client when the workspace belongs to this user's own clients.
    Result<void> admit(bool same_user) const;
    // Creates the root if it is a folder of ours.
    Result<void> ensure_root() const;
    // Created with the first file in it.
    std::filesystem::path output_dir() const;

    // The absolute path of a file that the agent names. PolicyDenied unless it lies, links followed, in the
    // workspace or in the output directory.
    Result<std::filesystem::path> resolve(std::string_view name) const;
    // The same for a file that a page gets: if it is a directory, nothing in it may lead elsewhere.
    Result<std::filesystem::path> resolve_tree(std::string_view name) const;
    // Nothing when there is no such file, or none that may be used.
    std::optional<FileFacts> find(const std::filesystem::path& file) const;
    Result<std::string> read(const std::filesystem::path& file) const;

    // Creates the file's directories. Names with a leading dot are not written to, unless the options allow
    // it.
    Result<void> write(const std::filesystem::path& file, std::string_view bytes) const;
    Result<void> append(const std::filesystem::path& file, std::string_view bytes) const;
    // Creates an empty file for another writer.
    Result<Descriptor> create(const std::filesystem::path& file) const;
    Result<void> make_directory(const std::filesystem::path& directory) const;
    // A path to write to. Its directory exists; generated names are not taken yet.
    Result<std::filesystem::path> output_file(const FileName& name) const;
    // Moves a file that is ours into the output directory, under this name or one with a number added.
    Result<std::filesystem::path> take_in(const std::filesystem::path& file, const std::string& name);

    // Copies the file into the user's downloads directory. Replaces no other file.
    Result<void> give_to_user(const std::filesystem::path& file) const;

    // Remembers this session's own files: other sessions may write to the same directory.
    void own(const std::filesystem::path& file) { own_.insert(file); }
    bool owns(const std::filesystem::path& file) const { return own_.contains(file); }
    // Records that a download was saved there.
    void note_download(const std::filesystem::path& file) { downloads_.insert(file); }
    const std::set<std::filesystem::path>& downloads() const { return downloads_; }

    // The path as answers show it: relative to the root (own folder: the server's directory), or absolute.
    std::string printable(const std::filesystem::path& file) const;
    std::string relative(const std::filesystem::path& file) const;

    // Removes the oldest files of the output directory until it fits its limit; those in `keep` stay.
    void trim_output(const std::set<std::filesystem::path>& keep) const;

private:
    enum class Use { Read, Write };
    // The place of a file, links followed.
    struct Place {
        std::filesystem::path real;
        bool is_ours = false;    // below a directory that only we write to
        bool is_output = false;  // in the output directory
    };

    void use_root(std::filesystem::path root);
    Result<Place> place(const std::filesystem::path& file, Use use) const;
    Result<void> check_dots(const std::filesystem::path& file, const std::filesystem::path& inside) const;
    Result<void> make_parents(const Place& place) const;
    Result<Descriptor> open(const std::filesystem::path& file, int flags) const;
    Result<void> put(const std::filesystem::path& file, std::string_view bytes, int flags) const;
    Result<void> check_tree(const std::filesystem::path& directory) const;
    std::filesystem::path choose_output_dir() const;
    Error denied(const std::filesystem::path& file) const;

    const SessionOptions& options_;
    const Redactor* redactor_ = nullptr;
    bool own_folder_;  // the root is our folder for one client
    std::filesystem::path named_, root_;
    mutable std::optional<std::filesystem::path> output_dir_;  // once it was used
    mutable bool output_is_checked_ = false;
    std::set<std::filesystem::path> own_, downloads_;
};

// 2026-11-15T17-19-14-464Z
std::string file_stamp(std::chrono::system_clock::time_point time);
// The directory that a file: URI names; nothing for another URI.
std::optional<std::filesystem::path> path_from_uri(std::string_view uri);
std::string uri_of_path(const std::filesystem::path& path);

}  // namespace session
