// Identifies the user at the other end of a Unix socket.
#pragma once

#include <sys/types.h>

// Whether the connected process runs as this user, according to the kernel.
bool is_of_user(int socket, uid_t user);
// The same for the user that this process runs as.
bool is_same_user(int socket);
