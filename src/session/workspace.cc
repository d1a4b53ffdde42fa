#include "session/workspace.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

#include "session/real_path.h"
#include "util/files.h"
#include "util/strings.h"

namespace session {
namespace {

namespace fs = std::filesystem;

// Absolute, without dots and without a slash at its end.
fs::path normal(const fs::path& base, const fs::path& path) {
    fs::path whole = (base / path).lexically_normal();
    return whole.has_filename() || whole == whole.root_path() ? whole : whole.parent_path();
}

Error write_error(const fs::path& file, int number) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Cannot write " + file.string() + ": " + std::strerror(number) + "."};
}

Result<void> put(const fs::path& real, std::string_view bytes, int mode) {
    Descriptor file = TRY(open_without_links(real, O_WRONLY | O_CREAT | mode));
    while (!bytes.empty()) {
        ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return write_error(real, errno);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return ok();
}

// In whatever directory that is, but no link.
Result<void> put_beside_links(const fs::path& file, std::string_view bytes, int mode) {
    fs::path directory = TRY(real_path(file.parent_path()));
    return put(directory / file.filename(), bytes, mode);
}

// Something is there, if only a link to nothing.
bool is_taken(const fs::path& file) {
    std::error_code unreadable;
    return fs::exists(fs::symlink_status(file, unreadable));
}

// A link in what somebody else has put into the workspace makes no other directory ours.
bool stays_inside(const fs::path& directory, const fs::path& file) {
    auto outer = real_path(directory), inner = real_path(file);
    return outer && inner && is_inside(*outer, *inner);
}

}  // namespace

Workspace::Workspace(const SessionOptions& options) : options_(options) {
    std::error_code unreadable;
    set_root(options.working_directory.empty() ? fs::current_path(unreadable) : options.working_directory);
}

void Workspace::set_root(fs::path root) { root_ = normal("/", root); }

fs::path Workspace::output_dir() const {
    if (!options_.output_dir.empty()) {
        return normal(options_.working_directory.empty() ? root_ : options_.working_directory,
                      options_.output_dir);
    }
    fs::path usual = root_ / ".playwright-mcp";
    bool usable = root_ != root_.root_path() && ::access(root_.c_str(), W_OK) == 0;
    if (usable && stays_inside(root_, usual)) return usual;
    std::error_code none;
    return fs::temp_directory_path(none) / ".playwright-mcp";
}

Result<fs::path> Workspace::resolve(std::string_view name) const {
    fs::path file = normal(root_, fs::path(name));
    TRY(real(file));
    return file;
}

Result<fs::path> Workspace::resolve_tree(std::string_view name) const {
    fs::path file = TRY(resolve(name));
    std::error_code none;
    if (options_.allow_unrestricted_file_access || !fs::is_directory(file, none)) return file;
    for (fs::recursive_directory_iterator it(file, none), end; !none && it != end; it.increment(none)) {
        std::error_code gone;
        if (it->is_symlink(gone)) TRY(real(it->path()));
    }
    return file;
}

Result<fs::path> Workspace::real(const fs::path& file) const {
    auto followed = real_path(file);
    if (options_.allow_unrestricted_file_access) return followed ? *followed : file;
    auto is_within = [&](const fs::path& directory) {
        auto root = real_path(directory);
        return followed && root && is_inside(*root, *followed);
    };
    if (is_within(output_dir()) || is_within(root_)) return followed;
    return denied(file);
}

Error Workspace::denied(const fs::path& file) const {
    if (options_.denied)
        options_.denied("file " + file.string(), "the rule that files stay in the workspace");
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "File access denied: " + file.string() +
                            " is outside allowed roots. Allowed roots: " + output_dir().string() + ", " +
                            root_.string()};
}

Result<std::string> Workspace::read(const fs::path& file) const {
    fs::path place = TRY(real(file));
    auto opened = open_without_links(place, O_RDONLY);
    if (!opened) return opened.error().code == ErrorCode::PolicyDenied ? denied(file) : opened.error();
    return read_all(opened->get(), file);
}

Result<void> Workspace::write(const fs::path& file, std::string_view bytes) const {
    fs::path place = TRY(real(file));
    auto written = put(place, bytes, O_TRUNC);
    if (!written && written.error().code == ErrorCode::PolicyDenied) return denied(file);
    return written;
}

Result<fs::path> Workspace::output_file(const FileName& name) const {
    fs::path file;
    if (!name.given.empty()) {
        file = TRY(resolve(name.given));
    } else {
        auto time = name.time.value_or(options_.now());
        // Several sessions may write here within the same millisecond.
        do {
            file = output_dir() / (name.prefix + "-" + file_stamp(time) +
                                   (name.extension.empty() ? "" : "." + name.extension));
            time += std::chrono::milliseconds(1);
        } while (is_taken(file));
    }
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) return write_error(file.parent_path(), error.value());
    return file;
}

fs::path Workspace::own_output_file(const std::string& name) {
    fs::path wanted = output_dir() / name, file = wanted;
    for (int number = 1; is_taken(file) && !owns(file); ++number)
        file = wanted.parent_path() /
               (wanted.stem().string() + "-" + std::to_string(number) + wanted.extension().string());
    own(file);
    return file;
}

std::string Workspace::relative(const fs::path& file) const {
    return file.lexically_relative(root_).string();
}

std::string Workspace::printable(const fs::path& file) const {
    if (options_.file_paths == FilePaths::Absolute) return file.string();
    std::string shown = relative(file);
    bool bare = shown.find('/') == std::string::npos && !shown.starts_with('.');
    return bare ? "./" + shown : shown;
}

void Workspace::trim_output(const std::set<fs::path>& keep) const {
    if (!options_.output_max_size || *options_.output_max_size == 0) return;
    struct Entry {
        fs::path path;
        std::uintmax_t size;
        fs::file_time_type written;
    };
    std::vector<Entry> entries;
    std::uintmax_t total = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(output_dir(), error), end; !error && it != end;
         it.increment(error)) {
        std::error_code gone;
        if (!it->is_regular_file(gone) || it->is_symlink(gone)) continue;
        Entry entry{it->path(), it->file_size(gone), it->last_write_time(gone)};
        if (gone) continue;
        total += entry.size;
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.written < b.written; });
    for (const Entry& entry : entries) {
        if (total <= *options_.output_max_size) return;
        if (keep.contains(entry.path)) continue;
        if (fs::remove(entry.path, error)) total -= entry.size;
    }
}

Result<void> write_output(const fs::path& file, std::string_view bytes) {
    return put_beside_links(file, bytes, O_TRUNC);
}
Result<void> append_output(const fs::path& file, std::string_view bytes) {
    return put_beside_links(file, bytes, O_APPEND);
}

std::string file_stamp(std::chrono::system_clock::time_point time) {
    auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
    std::time_t seconds = static_cast<std::time_t>(since / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d-%02d-%02d-%03dZ", parts.tm_year + 1900,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                  static_cast<int>(since % 1000));
    return text.data();
}

std::optional<fs::path> path_from_uri(std::string_view uri) {
    constexpr std::string_view kScheme = "file://";
    if (!uri.starts_with(kScheme)) return std::nullopt;
    uri.remove_prefix(kScheme.size());
    if (uri.starts_with("localhost/")) uri.remove_prefix(std::string_view("localhost").size());
    uri = uri.substr(0, uri.find_first_of("?#"));
    if (!uri.starts_with('/')) return std::nullopt;
    std::string path = percent_decode(uri);
    if (path.find('\0') != std::string::npos) return std::nullopt;
    return fs::path(path);
}

}  // namespace session
