// Reports what a running call does to a client that asked for its progress.
#pragma once

#include <chrono>
#include <string>

#include "tools/client.h"

namespace tools {

// Reports each step, and repeats the last one every few seconds: clients wait longer for a call that reports
// progress. Does nothing for clients that did not ask. The client outlives it.
class ProgressReporter {
public:
    static constexpr std::chrono::seconds kInterval{5};

    ProgressReporter(Loop& loop, Client& client, std::chrono::milliseconds interval = kInterval);

    void report(const std::string& step);

private:
    Task<> repeat(std::chrono::milliseconds interval);

    Loop& loop_;
    Client& client_;
    std::string step_;
    double count_ = 0;
    Running repeating_;
};

}  // namespace tools
