#include "session/workspace.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/output_directory.h"
#include "session/real_path.h"
#include "util/files.h"
#include "util/private_directory.h"
#include "util/strings.h"

namespace session {
namespace {

namespace fs = std::filesystem;

// Modes of what we create in directories of ours, and elsewhere, less the user's umask.
constexpr mode_t kOurFile = 0600, kOurDirectory = 0700, kFile = 0666, kDirectory = 0777;

// Makes a path absolute, without dots and without a slash at its end.
fs::path normal(const fs::path& base, const fs::path& path) {
    fs::path whole = (base / path).lexically_normal();
    return whole.has_filename() || whole == whole.root_path() ? whole : whole.parent_path();
}

Error write_error(const fs::path& file, int number) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Cannot write " + file.string() + ": " + std::strerror(number) + "."};
}

Result<void> write_all(int descriptor, std::string_view bytes, const fs::path& file) {
    while (!bytes.empty()) {
        ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return write_error(file, errno);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return ok();
}

// Only the operator's directory may be a link: one in place of ours makes no other directory ours.
Result<fs::path> real_output(const fs::path& directory, bool is_operators) {
    if (is_operators) return real_path(directory);
    return TRY(real_path(directory.parent_path())) / directory.filename();
}

// Whether the name exists, if only as a dangling link.
bool is_taken(const fs::path& file) {
    std::error_code unreadable;
    return fs::exists(fs::symlink_status(file, unreadable));
}

// In a directory that only we write to, a file of another user or with another name elsewhere is an attack.
bool is_only_here(const struct stat& about) {
    return about.st_uid == ::geteuid() && (S_ISDIR(about.st_mode) || about.st_nlink == 1);
}

// Replaces an existing file only with `over`. A file with another name is copied, to separate the two.
Result<void> move_into(const fs::path& from, int directory, const fs::path& name, bool over) {
    struct stat about{};
    if (::lstat(from.c_str(), &about) != 0) return write_error(from, errno);
    unsigned flags = over ? 0 : RENAME_NOREPLACE;
    if (about.st_nlink == 1 && ::renameat2(AT_FDCWD, from.c_str(), directory, name.c_str(), flags) == 0) {
        ::fchmodat(directory, name.c_str(), kOurFile, 0);
        return ok();
    }
    if (about.st_nlink == 1 && errno != EXDEV && errno != EINVAL) return write_error(name, errno);
    std::string bytes = TRY(read_file(from));
    if (over) ::unlinkat(directory, name.c_str(), 0);
    Descriptor copy(
        ::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOurFile));
    if (copy.get() < 0) return write_error(name, errno);
    TRY(write_all(copy.get(), bytes, name));
    ::unlink(from.c_str());
    return ok();
}

// By the names that we give such files: .trace and .network have one JSON text a line.
bool is_json(const fs::path& file) {
    constexpr std::array<std::string_view, 4> kExtensions = {".json", ".har", ".trace", ".network"};
    return std::ranges::find(kExtensions, file.extension().string()) != kExtensions.end();
}

// "report-2.pdf".
fs::path with_number(const fs::path& file, int number) {
    return file.parent_path() /
           (file.stem().string() + "-" + std::to_string(number) + file.extension().string());
}

}  // namespace

Workspace::Workspace(const SessionOptions& options) : options_(options), own_folder_(options.own_folder) {
    std::error_code unreadable;
    use_root(options.working_directory.empty() ? fs::current_path(unreadable) : options.working_directory);
}

void Workspace::set_root(fs::path root) {
    own_folder_ = false;
    use_root(std::move(root));
}

void Workspace::use_root(fs::path root) {
    named_ = normal("/", root);
    output_dir_.reset();
    output_is_checked_ = false;
    bool usable = options_.allow_unrestricted_file_access || own_folder_ || !is_too_wide(named_);
    root_ = usable ? named_ : private_directory(options_.private_directory);
}

std::string Workspace::note() const {
    if (root_ == named_) return {};
    return named_.string() +
           " is no workspace, being a root or home directory. Files of this session are in " +
           root_.string() + ".";
}

const fs::path& Workspace::profile_directory() const {
    return options_.profile_directory.empty() ? named_ : options_.profile_directory;
}

Result<void> Workspace::admit(bool same_user) const {
    if (same_user || !options_.for_same_user) return ok();
    if (options_.denied)
        options_.denied("files of " + root_.string(),
                        "the rule that network clients have folders of their own");
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "This session works with files of a client on the server's own machine.",
                 .hint = "Use a session of another name."};
}

Result<void> Workspace::ensure_root() const {
    if (!own_folder_) return ok();
    TRY(ensure_private_directory(root_.parent_path()));
    return ensure_private_directory(root_);
}

fs::path Workspace::output_dir() const {
    if (!output_dir_) output_dir_ = choose_output_dir();
    return *output_dir_;
}

fs::path Workspace::choose_output_dir() const {
    if (!options_.output_dir.empty()) {
        return normal(options_.working_directory.empty() ? root_ : options_.working_directory,
                      options_.output_dir);
    }
    fs::path usual = root_ / kOutputName;
    if (own_folder_) return usual;
    return root_ != root_.root_path() && can_be_output(usual)
               ? usual
               : private_directory(options_.private_directory) / kOutputName;
}

Result<fs::path> Workspace::resolve(std::string_view name) const {
    if (name.find('\0') != std::string_view::npos)
        return Error{.code = ErrorCode::InvalidArgument, .message = "A file's name has no zero bytes."};
    fs::path file = normal(root_, fs::path(name));
    // A client may also name a file of its folder as answers show it.
    fs::path shown = normal(profile_directory(), fs::path(name));
    if (own_folder_ && is_inside(root_, shown)) file = std::move(shown);
    TRY(place(file, Use::Read));
    return file;
}

Result<fs::path> Workspace::resolve_tree(std::string_view name) const {
    fs::path file = TRY(resolve(name));
    if (options_.allow_unrestricted_file_access) return file;
    struct stat about{};
    if (::stat(file.c_str(), &about) != 0) return file;
    if (own_folder_ && !is_only_here(about)) return denied(file);
    if (S_ISDIR(about.st_mode)) TRY(check_tree(file));
    return file;
}

Result<void> Workspace::check_tree(const fs::path& directory) const {
    std::error_code failed;
    for (fs::recursive_directory_iterator it(directory, failed), end; !failed && it != end;
         it.increment(failed)) {
        std::error_code gone;
        if (it->is_symlink(gone)) TRY(place(it->path(), Use::Read));
        struct stat about{};
        bool known = !own_folder_ || ::lstat(it->path().c_str(), &about) != 0;
        if (!known && !is_only_here(about)) return denied(it->path());
    }
    return ok();
}

Result<Workspace::Place> Workspace::place(const fs::path& file, Use use) const {
    auto followed = real_path(file);
    if (options_.allow_unrestricted_file_access) return Place{.real = followed ? *followed : file};
    auto root = real_path(root_), output = real_output(output_dir(), !options_.output_dir.empty());
    if (!followed || !root || !output) return denied(file);
    bool in_root = is_inside(*root, *followed), in_output = is_inside(*output, *followed);
    if (!in_root && !in_output) return denied(file);
    // A workspace within the output directory does not count as output.
    bool is_output = in_output && (!in_root || !is_inside(*output, *root));
    if (own_folder_ && in_root && *followed != normal(*root, file.lexically_relative(root_)))
        return denied(file);
    if (use == Use::Write && !is_output) TRY(check_dots(file, followed->lexically_relative(*root)));
    return Place{.real = *followed, .is_ours = is_output || own_folder_, .is_output = is_output};
}

Result<void> Workspace::check_dots(const fs::path& file, const fs::path& inside) const {
    const auto& allowed = options_.writable_dot_names;
    auto is_closed = [&](const fs::path& part) {
        std::string name = part.string();
        if (!name.starts_with('.') || name == ".") return false;
        return std::ranges::none_of(allowed,
                                    [&](const std::string& each) { return each == "*" || each == name; });
    };
    auto closed = std::find_if(inside.begin(), inside.end(), is_closed);
    if (closed == inside.end()) return ok();
    if (options_.denied)
        options_.denied("file " + file.string(), "the rule that names with a leading dot are not written");
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "File access denied: " + file.string() + " is not writable, because \"" +
                            closed->string() + "\" begins with a dot (security.writableDotNames).",
                 .hint = "Choose another name."};
}

Error Workspace::denied(const fs::path& file) const {
    if (options_.denied)
        options_.denied("file " + file.string(), "the rule that files stay in the workspace");
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "File access denied: " + file.string() +
                            " is outside allowed roots. Allowed roots: " + output_dir().string() + ", " +
                            root_.string()};
}

std::optional<FileFacts> Workspace::find(const fs::path& file) const {
    auto found = place(file, Use::Read);
    struct stat about{};
    if (!found || ::stat(found->real.c_str(), &about) != 0) return std::nullopt;
    struct stat itself{};
    bool is_link = ::lstat(file.c_str(), &itself) == 0 && S_ISLNK(itself.st_mode);
    return FileFacts{.is_file = S_ISREG(about.st_mode),
                     .is_link = is_link,
                     .size = static_cast<std::uintmax_t>(about.st_size)};
}

Result<void> Workspace::make_parents(const Place& place) const {
    if (place.is_ours) TRY(ensure_root());
    if (place.is_output && !output_is_checked_) {
        TRY(ensure_output_directory(output_dir(),
                                    options_.output_dir.empty() ? ChosenBy::Us : ChosenBy::Operator));
        output_is_checked_ = true;
    }
    TRY(make_directories_without_links(place.real.parent_path(), place.is_ours ? kOurDirectory : kDirectory));
    return ok();
}

Result<Descriptor> Workspace::open(const fs::path& file, int flags) const {
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    Place found = TRY(place(file, writes ? Use::Write : Use::Read));
    auto opened = open_without_links(found.real, flags & ~O_TRUNC, found.is_ours ? kOurFile : kFile);
    if (!opened && writes && opened.error().code == ErrorCode::NotFound) {
        auto made = make_parents(found);
        if (!made) return made.error().code == ErrorCode::PolicyDenied ? denied(file) : made.error();
        opened = open_without_links(found.real, flags & ~O_TRUNC, found.is_ours ? kOurFile : kFile);
    }
    if (!opened) return opened.error().code == ErrorCode::PolicyDenied ? denied(file) : opened.error();
    struct stat about{};
    if (found.is_ours && (::fstat(opened->get(), &about) != 0 || !is_only_here(about))) return denied(file);
    // Truncates only after the checks above.
    if ((flags & O_TRUNC) != 0 && ::ftruncate(opened->get(), 0) != 0) return write_error(file, errno);
    return opened;
}

Result<std::string> Workspace::read(const fs::path& file) const {
    Descriptor opened = TRY(open(file, O_RDONLY));
    return read_all(opened.get(), file);
}

Result<void> Workspace::put(const fs::path& file, std::string_view bytes, int flags) const {
    std::string clean;
    if (redactor_ && !redactor_->empty()) {
        clean = is_json(file) ? redactor_->redact_json(std::string(bytes), Redactor::Numbers::Hide)
                              : redactor_->redact_bytes(std::string(bytes));
        bytes = clean;
    }
    Descriptor opened = TRY(open(file, O_WRONLY | O_CREAT | flags));
    return write_all(opened.get(), bytes, file);
}

Result<void> Workspace::write(const fs::path& file, std::string_view bytes) const {
    return put(file, bytes, O_TRUNC);
}
Result<void> Workspace::append(const fs::path& file, std::string_view bytes) const {
    return put(file, bytes, O_APPEND);
}
Result<Descriptor> Workspace::create(const fs::path& file) const {
    return open(file, O_WRONLY | O_CREAT | O_TRUNC);
}

Result<void> Workspace::make_directory(const fs::path& directory) const {
    // Creates only the parents of a file that is not created.
    return make_parents(TRY(place(directory / "x", Use::Write)));
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
    auto made = make_parents(TRY(place(file, Use::Write)));
    if (!made && made.error().code == ErrorCode::PolicyDenied && !name.given.empty()) return denied(file);
    TRY(std::move(made));
    return file;
}

Result<fs::path> Workspace::take_in(const fs::path& file, const std::string& name) {
    fs::path wanted = output_dir() / name, chosen = wanted;
    for (int number = 1; is_taken(chosen) && !owns(chosen); ++number) chosen = with_number(wanted, number);
    Place found = TRY(place(chosen, Use::Write));
    TRY(make_parents(found));
    Descriptor directory = TRY(make_directories_without_links(found.real.parent_path(), kOurDirectory));
    TRY(move_into(file, directory.get(), found.real.filename(), owns(chosen)));
    own(chosen);
    return chosen;
}

Result<void> Workspace::give_to_user(const fs::path& file) const {
    if (options_.downloads_path.empty()) return ok();
    std::error_code failed;
    fs::create_directories(options_.downloads_path, failed);
    fs::path wanted = options_.downloads_path / file.filename(), chosen = wanted;
    // A link would be a second name of a file in a directory of ours, which then nobody may read.
    auto is_given = [&] { return fs::copy_file(file, chosen, failed) || failed != std::errc::file_exists; };
    for (int number = 1; !is_given(); ++number) chosen = with_number(wanted, number);
    if (!failed) return ok();
    return Error{.message = "It is not in \"" + options_.downloads_path.string() + "\": " + failed.message()};
}

// A client does not know where the server put its folder: paths are relative to the server's own directory.
std::string Workspace::relative(const fs::path& file) const {
    if (!own_folder_) return file.lexically_relative(root_).string();
    fs::path shown = file.lexically_relative(profile_directory());
    bool is_elsewhere = shown.empty() || *shown.begin() == "..";
    return is_elsewhere ? file.string() : shown.string();
}

std::string Workspace::printable(const fs::path& file) const {
    if (options_.file_paths == FilePaths::Absolute) return file.string();
    std::string shown = relative(file);
    bool bare = shown.find('/') == std::string::npos && !shown.starts_with('.');
    return bare ? "./" + shown : shown;
}

void Workspace::trim_output(const std::set<fs::path>& keep) const {
    if (!options_.output_max_size || *options_.output_max_size == 0) return;
    trim_directory(options_.trimmed_directory.empty() ? output_dir() : options_.trimmed_directory,
                   *options_.output_max_size, keep);
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

std::string uri_of_path(const fs::path& path) {
    std::string uri = "file://";
    for (const fs::path& part : path.relative_path()) uri += "/" + percent_encode(part.string());
    return uri;
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
