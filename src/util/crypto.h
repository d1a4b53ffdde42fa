// Hashes, randomness and constant-time comparison.
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
// Whether the text is a UUID, in lower or upper case.
bool is_uuid(std::string_view text);

// Takes as long for a wrong first byte as for a wrong last one.
bool equal_in_constant_time(std::string_view a, std::string_view b);
