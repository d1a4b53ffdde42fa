#include "util/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/strings.h"

namespace {

Error file_error(const std::string& what, const std::filesystem::path& file, int number) {
    return Error{
        .code = number == ENOENT ? ErrorCode::NotFound : ErrorCode::InternalError,
        .message = "Cannot " + what + " " + file.string() + ": " + std::strerror(number) + ".",
    };
}

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

}  // namespace

Result<std::string> read_file(const std::filesystem::path& file) {
    Descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (in.fd < 0) return file_error("open", file, errno);
    return read_all(in.fd, file);
}

Result<std::string> read_all(int descriptor, const std::filesystem::path& file) {
    std::string text;
    char buffer[1 << 16];
    for (;;) {
        ssize_t count = ::read(descriptor, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return file_error("read", file, errno);
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

Result<void> write_file(const std::filesystem::path& file, std::string_view text) {
    std::string beside = file.string() + ".XXXXXX";
    Descriptor out{::mkostemp(beside.data(), O_CLOEXEC)};
    if (out.fd < 0) return file_error("create", file, errno);
    for (std::size_t done = 0; done < text.size();) {
        ssize_t count = ::write(out.fd, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            int number = errno;
            ::unlink(beside.c_str());
            return file_error("write", file, number);
        }
        done += static_cast<std::size_t>(count);
    }
    if (::rename(beside.c_str(), file.c_str()) != 0) {
        int number = errno;
        ::unlink(beside.c_str());
        return file_error("write", file, number);
    }
    return ok();
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::filesystem::path home_directory() {
    if (std::string home = environment("HOME"); !home.empty()) return home;
    const passwd* user = ::getpwuid(::getuid());
    return user ? user->pw_dir : "/";
}

std::filesystem::path state_directory() {
    std::string base = environment("XDG_STATE_HOME");
    return (base.empty() ? home_directory() / ".local/state" : std::filesystem::path(base)) / "troupe";
}

std::filesystem::path cache_directory() {
    std::string base = environment("XDG_CACHE_HOME");
    return (base.empty() ? home_directory() / ".cache" : std::filesystem::path(base)) / "troupe";
}

std::filesystem::path find_program(std::string_view name) {
    for (const std::string& directory : split(environment("PATH"), ':')) {
        std::filesystem::path candidate = std::filesystem::path(directory.empty() ? "." : directory) / name;
        if (::access(candidate.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(candidate))
            return candidate;
    }
    return {};
}
