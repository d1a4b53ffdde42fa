#include "doctor/port_holder.h"

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "util/files.h"
#include "util/strings.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

// The sockets that listen on `port`, as /proc/<pid>/fd names them: "socket:[12345]".
std::set<std::string> listening_sockets(int port) {
    constexpr std::string_view kListening = "0A";
    std::set<std::string> sockets;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::istringstream lines(read_file(table).value_or(""));
        std::string line;
        while (std::getline(lines, line)) {
            // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
            std::istringstream columns(line);
            std::string slot, local, remote, state, queues, timer, retransmits, user, timeout, inode;
            columns >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
                timeout >> inode;
            std::size_t colon = local.rfind(':');
            if (state != kListening || colon == std::string::npos) continue;
            if (std::strtol(local.c_str() + colon + 1, nullptr, 16) == port)
                sockets.insert("socket:[" + inode + "]");
        }
    }
    return sockets;
}

bool holds_one_of(const fs::path& process, const std::set<std::string>& sockets) {
    std::error_code failed;
    for (fs::directory_iterator it(process / "fd", failed), end; !failed && it != end; it.increment(failed)) {
        std::error_code unreadable;
        if (sockets.contains(fs::read_symlink(it->path(), unreadable).string())) return true;
    }
    return false;
}

}  // namespace

std::optional<PortHolder> find_port_holder(int port) {
    std::set<std::string> sockets = listening_sockets(port);
    if (sockets.empty()) return std::nullopt;
    std::error_code failed;
    for (fs::directory_iterator it("/proc", failed), end; !failed && it != end; it.increment(failed)) {
        std::string pid = it->path().filename().string();
        if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
        if (!holds_one_of(it->path(), sockets)) continue;
        std::string name = read_file(it->path() / "comm").value_or("");
        return PortHolder{.pid = static_cast<pid_t>(std::strtol(pid.c_str(), nullptr, 10)),
                          .name = std::string(trim(name))};
    }
    return std::nullopt;
}

}  // namespace doctor
