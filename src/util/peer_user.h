// Who is at the other end of a Unix socket.
#pragma once

#include <sys/types.h>

// Whether the process that connected runs as this user. The kernel knows; the peer is not asked.
bool is_of_user(int socket, uid_t user);
// The same for the user that this process runs as.
bool is_same_user(int socket);
