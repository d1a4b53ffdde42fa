// A library to preload (LD_PRELOAD) into a program and all that it starts: writes down every name that is
// looked up and every address that is connected or sent to, one line each, in the file
// $NETWORK_OBSERVER_FILE:
//
//     PROGRAM lookup NAME | PROGRAM connect ADDRESS PORT | PROGRAM send ADDRESS PORT
//
// Lookups of names below .test are answered with "not found" and never leave the machine. To connect a
// datagram socket sends nothing and is not written down.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

template <class Function>
Function* next(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void note(const char* what, const char* where) {
    static const char* const file = getenv("NETWORK_OBSERVER_FILE");
    if (!file) return;
    int saved = errno;
    char line[512];
    int length = snprintf(line, sizeof line, "%s %s %s\n", program_invocation_short_name, what, where);
    int descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor >= 0 && length > 0) {
        [[maybe_unused]] ssize_t written = write(descriptor, line, static_cast<size_t>(length));
        close(descriptor);
    }
    errno = saved;
}

void note_address(const char* what, const sockaddr* address) {
    if (!address) return;
    char text[INET6_ADDRSTRLEN] = "", where[INET6_ADDRSTRLEN + 8];
    unsigned port = 0;
    if (address->sa_family == AF_INET) {
        auto v4 = reinterpret_cast<const sockaddr_in*>(address);
        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
        port = ntohs(v4->sin_port);
    } else if (address->sa_family == AF_INET6) {
        auto v6 = reinterpret_cast<const sockaddr_in6*>(address);
        inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
        port = ntohs(v6->sin6_port);
    } else {
        return;
    }
    snprintf(where, sizeof where, "%s %u", text, port);
    note(what, where);
}

bool is_datagram(int socket) {
    int type = 0;
    socklen_t length = sizeof type;
    int saved = errno;
    bool known = getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
    errno = saved;
    return known && type == SOCK_DGRAM;
}

// To the address that is given, or to the one that the socket is connected to.
void note_datagram(int socket, const void* given) {
    if (!is_datagram(socket)) return;
    if (given) return note_address("send", static_cast<const sockaddr*>(given));
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    int saved = errno;
    if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &length) == 0)
        note_address("send", reinterpret_cast<sockaddr*>(&peer));
    errno = saved;
}

}  // namespace

extern "C" {

int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
    static auto real = next(&getaddrinfo, "getaddrinfo");
    in6_addr ignored;
    bool is_address =
        !name || inet_pton(AF_INET, name, &ignored) == 1 || inet_pton(AF_INET6, name, &ignored) == 1;
    if (!is_address) {
        note("lookup", name);
        const char* last = strstr(name, ".test");
        if (last && (strcmp(last, ".test") == 0 || strcmp(last, ".test.") == 0)) return EAI_NONAME;
    }
    return real(name, service, hints, found);
}

int connect(int socket, const sockaddr* address, socklen_t length) {
    static auto real = next(&connect, "connect");
    if (!is_datagram(socket)) note_address("connect", address);
    return real(socket, address, length);
}

ssize_t send(int socket, const void* data, size_t size, int flags) {
    static auto real = next(&send, "send");
    note_datagram(socket, nullptr);
    return real(socket, data, size, flags);
}

ssize_t sendto(int socket, const void* data, size_t size, int flags, const sockaddr* address,
               socklen_t length) {
    static auto real = next(&sendto, "sendto");
    note_datagram(socket, address);
    return real(socket, data, size, flags, address, length);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
    static auto real = next(&sendmsg, "sendmsg");
    note_datagram(socket, message->msg_name);
    return real(socket, message, flags);
}

int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) {
    static auto real = next(&sendmmsg, "sendmmsg");
    for (unsigned i = 0; i < count; ++i) note_datagram(socket, messages[i].msg_hdr.msg_name);
    return real(socket, messages, count, flags);
}

}  // extern "C"
