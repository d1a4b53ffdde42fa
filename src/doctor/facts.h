// Facts about this machine, read without judging them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace doctor {

struct SystemFacts {
    std::string os;                   // "Debian GNU/Linux 12 (bookworm)"
    std::string kernel;               // "Linux 6.1.0-40-amd64"
    std::string libc;                 // "glibc 2.36"
    bool can_watch_processes = true;  // pidfd_open works

    static SystemFacts current();
};

struct SandboxFacts {
    bool wanted = true;
    bool is_root = false;
    bool namespaces_work = true;  // an unprivileged process can create and use a user namespace
    bool has_helper = false;      // a setuid chrome-sandbox lies beside the browser

    static SandboxFacts current(bool wanted, const std::filesystem::path& browser);
    // Root's browsers run without a sandbox: Chromium refuses to start otherwise.
    bool in_use() const { return wanted && !is_root; }
};

// PRETTY_NAME of an os-release file's text, unquoted; "Linux" when it has none.
std::string pretty_name(const std::string& os_release);

// Empty when there is no /dev/shm.
std::optional<std::uintmax_t> shared_memory_bytes();
// The hard limit on open files.
std::uint64_t open_files_limit();

}  // namespace doctor
