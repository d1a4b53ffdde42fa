// Hashes, randomness and comparisons that do not leak.
#pragma once

#include <string>
#include <string_view>

// Raw 32 bytes.
std::string sha256(std::string_view bytes);
std::string hmac_sha256(std::string_view key, std::string_view bytes);

// From the kernel; never fails.
std::string random_bytes(std::size_t count);
// A version 4 UUID.
std::string random_uuid();
// Whether it is one of those, in small or capital letters.
bool is_uuid(std::string_view text);

// Takes as long for a wrong first byte as for a wrong last one.
bool equal_in_constant_time(std::string_view a, std::string_view b);
