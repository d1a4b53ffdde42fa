// What was refused or had to be confirmed, in a file that only grows and shows when somebody has changed it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "policy/policy.h"

namespace policy {

// One line of JSON an entry, each with a hash over itself and the one before. Several servers may write to
// one file. A file that cannot be written costs nothing but its entries; the log says so once.
class AuditLog {
public:
    // Called with what went wrong, once for each kind of trouble.
    using Complain = std::function<void(const std::string& trouble)>;

    AuditLog(std::filesystem::path file, Complain complain);

    void denied(const Denial& denial) { add("denied", denial); }
    // Somebody was asked, by a rule, and said yes.
    void confirmed(const Denial& asked) { add("confirmed", asked); }

private:
    void add(std::string_view event, const Denial& about);
    Result<void> append(std::string_view event, const Denial& about, std::uint64_t left_out);

    std::filesystem::path file_;
    Complain complain_;
    std::string trouble_;
    // A page can be refused a thousand times a second; what is too much is counted, not written.
    std::chrono::steady_clock::time_point window_ = {};
    std::size_t written_ = 0;
    std::uint64_t left_out_ = 0;
};

// The number of entries; fails by naming the first line that does not follow from those before it.
Result<std::size_t> verify_audit(const std::filesystem::path& file);

}  // namespace policy
