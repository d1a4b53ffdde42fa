// Session state at rest: compressed and sealed with AES-256-GCM under a key from a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "util/result.h"

namespace store {

class StateKey {
public:
    // Reads the key file; makes one with a new key (mode 0600) when there is none.
    static Result<StateKey> load_or_create(const std::filesystem::path& file);

    // Derives a key for another purpose, which does not reveal this one.
    std::string derive(std::string_view purpose) const;
    // The sealed state opens only under the same key and for the same session.
    std::string seal(std::string_view session_id, std::string_view state) const;
    Result<std::string> open(std::string_view session_id, std::string_view sealed) const;

private:
    explicit StateKey(std::string key) : key_(std::move(key)) {}
    std::string id() const;

    std::string key_;  // 32 bytes
};

}  // namespace store
