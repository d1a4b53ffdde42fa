// What was refused or had to be confirmed, in a file that only grows and shows when somebody has changed it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "policy/audit_chain.h"
#include "policy/policy.h"

namespace policy {

// One line of JSON an entry, each authenticated together with the one before. Several servers with one key
// may write to one file. A file that cannot be written costs nothing but its entries; the log says so once.
class AuditLog {
public:
    // Called with what went wrong, once for each kind of trouble.
    using Complain = std::function<void(const std::string& trouble)>;

    AuditLog(AuditPlace place, Complain complain);

    void denied(const Denial& denial) { add("denied", denial); }
    // Somebody was asked, by a rule, and said yes.
    void confirmed(const Denial& asked) { add("confirmed", asked); }

private:
    void add(std::string_view event, const Denial& about);
    void complain(std::string trouble);
    Result<void> append(std::string_view event, const Denial& about, std::uint64_t left_out);
    // The last entry that we wrote, also where a crash kept it from being marked.
    AuditEnd find_end(int log, int mark);

    AuditPlace place_;
    Complain complain_;
    std::string trouble_;
    // A page can be refused a thousand times a second; what is too much is counted, not written.
    std::chrono::steady_clock::time_point window_ = {};
    std::size_t written_ = 0;
    std::uint64_t left_out_ = 0;
};

}  // namespace policy
