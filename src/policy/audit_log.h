// Records refusals and confirmations in an append-only, tamper-evident file.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "policy/audit_chain.h"
#include "policy/policy.h"

namespace policy {

// One JSON line per entry, each authenticated together with the one before. Several servers with one key may
// write to one file. If the file cannot be written, only its entries are lost; the log says so once.
class AuditLog {
public:
    // Called with a description, once for each kind of error.
    using Complain = std::function<void(const std::string& trouble)>;

    AuditLog(AuditPlace place, Complain complain);

    void denied(const Denial& denial) { add("denied", denial); }
    // Records that a rule asked a person, who agreed.
    void confirmed(const Denial& asked) { add("confirmed", asked); }

private:
    void add(std::string_view event, const Denial& about);
    void complain(std::string trouble);
    Result<void> append(std::string_view event, const Denial& about, std::uint64_t left_out);
    // The last entry that we wrote, including one that a crash kept from being marked.
    AuditEnd find_end(int log, int mark);

    AuditPlace place_;
    Complain complain_;
    std::string trouble_;
    // A page can be refused a thousand times a second: entries beyond the limits are counted, not written.
    // Each session has its own limit, so that none can hide another session's refusals.
    bool may_write(const Subject& who);

    std::chrono::steady_clock::time_point window_ = {};
    std::map<std::string, std::size_t> written_by_session_;
    std::size_t written_ = 0;
    std::uint64_t left_out_ = 0;
};

}  // namespace policy
