// Who is at the other end of a Unix socket.
#pragma once

// Whether the process that connected runs as the user that this one runs as. The kernel knows; the peer is
// not asked.
bool is_same_user(int socket);
