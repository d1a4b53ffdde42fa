// Starts a program with pipes to it.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "util/result.h"

// A descriptor that is closed with its owner.
class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();

    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

struct Spawned {
    pid_t pid;
    Descriptor exit_watch;  // a pidfd
    Descriptor input;       // our ends of the pipes, non-blocking
    Descriptor output;
    Descriptor errors;
};

enum class Pipes {
    Standard,  // input and output are its standard streams
    DevTools   // input and output are its descriptors 3 and 4; its stdout goes to errors
};

// Runs `command[0]`, searched along the child's PATH, as the leader of a new process group that dies by
// SIGKILL when the calling thread does. It inherits only its pipes and the descriptor `inherited`, if one is
// given, with default signals.
Result<Spawned> spawn(const std::vector<std::string>& command,
                      const std::vector<std::pair<std::string, std::string>>& environment,
                      const std::filesystem::path& directory, Pipes pipes = Pipes::Standard,
                      int inherited = -1);
