// Identifies the process at the other end of a TCP connection within this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <sys/types.h>

// The socket at the other end of a connected TCP socket.
struct PeerSocket {
    std::uint64_t inode = 0;  // zero: no process has it open any more
};

// Nothing when it is on another machine, in another network namespace, or no longer exists.
std::optional<PeerSocket> peer_socket(int socket);
// Whether the process has the socket with this inode open.
bool has_socket(pid_t process, std::uint64_t inode);
// Whether the peer of the TCP connection is a descendant of `ancestor`. Also true when the peer has closed
// already and may have been one. Takes a millisecond or two with many pages; renderers are skipped, because
// they have no sockets.
bool is_peer_below(int socket, pid_t ancestor);
