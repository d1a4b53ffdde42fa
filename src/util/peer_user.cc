#include "util/peer_user.h"

#include <sys/socket.h>
#include <unistd.h>

bool is_of_user(int socket, uid_t user) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == user;
}

bool is_same_user(int socket) { return is_of_user(socket, ::geteuid()); }
