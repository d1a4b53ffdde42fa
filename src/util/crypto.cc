#include "util/crypto.h"

#include <cstdlib>
#include <sys/random.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "util/strings.h"

namespace {
const unsigned char* data(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}
}  // namespace

std::string sha256(std::string_view bytes) {
    std::string digest(SHA256_DIGEST_LENGTH, '\0');
    SHA256(data(bytes), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()));
    return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
    std::string digest(SHA256_DIGEST_LENGTH, '\0');
    unsigned length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data(bytes), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()), &length);
    return digest;
}

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    for (std::size_t done = 0; done < count;) {
        ssize_t got = ::getrandom(bytes.data() + done, count - done, 0);
        // Only EINTR is possible here; after any other error there is no safe way to continue.
        if (got < 0 && errno != EINTR) std::abort();
        if (got > 0) done += static_cast<std::size_t>(got);
    }
    return bytes;
}

std::string random_uuid() {
    std::string bytes = random_bytes(16);
    bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x40);
    bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);
    std::string hex = hex_encode(bytes);
    for (std::size_t at : {8, 13, 18, 23}) hex.insert(at, "-");
    return hex;
}

bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !std::isxdigit(static_cast<unsigned char>(text[i]))) return false;
    }
    return text[14] == '4';
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    // Comparing digests hides the lengths too.
    std::string left = sha256(a), right = sha256(b);
    return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}
