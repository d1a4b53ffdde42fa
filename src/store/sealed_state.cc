#include "store/sealed_state.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "store/compress.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/spawn.h"
#include "util/strings.h"

namespace store {
namespace {

// Layout: version, 8 bytes that name the key, nonce, tag, then size (8 bytes) and state under the cipher.
constexpr char kVersion = 1;
constexpr std::size_t kKeySize = 32, kKeyName = 8, kNonce = 12, kTag = 16;
constexpr std::size_t kHeader = 1 + kKeyName + kNonce + kTag;

struct Cipher {
    EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
    ~Cipher() { EVP_CIPHER_CTX_free(context); }
};

const unsigned char* bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string size_text(std::uint64_t size) { return {reinterpret_cast<const char*>(&size), sizeof size}; }

Error unreadable(std::string_view session_id, std::string why, std::string hint) {
    return Error{
        .code = ErrorCode::NotFound,
        .message = "The stored state of session " + std::string(session_id) + " cannot be read: " + why,
        .hint = std::move(hint)};
}

// Creates a file that only its owner may read; never replaces one.
Result<void> create_key_file(const std::filesystem::path& file) {
    std::error_code ignored;
    std::filesystem::path beside = file.string() + "." + hex_encode(random_bytes(8));
    Descriptor out(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    std::string text = hex_encode(random_bytes(kKeySize)) + "\n";
    bool written = out.get() >= 0 && ::write(out.get(), text.data(), text.size()) == ssize_t(text.size()) &&
                   ::fsync(out.get()) == 0 && (::link(beside.c_str(), file.c_str()) == 0 || errno == EEXIST);
    int number = errno;
    std::filesystem::remove(beside, ignored);
    if (written) return ok();
    return Error{.message =
                     "Cannot create the key file " + file.string() + ": " + std::strerror(number) + "."};
}

}  // namespace

Result<StateKey> StateKey::load_or_create(const std::filesystem::path& file) {
    Result<std::string> text = read_file(file);
    if (!text && text.error().code == ErrorCode::NotFound) {
        TRY(create_key_file(file));
        text = read_file(file);
    }
    if (!text) return text.error();
    std::string_view digits = trim(*text);
    std::string key;
    for (std::size_t at = 0;
         at + 1 < digits.size() && std::isxdigit(static_cast<unsigned char>(digits[at])) &&
         std::isxdigit(static_cast<unsigned char>(digits[at + 1]));
         at += 2)
        key.push_back(static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16)));
    if (key.size() != kKeySize || digits.size() != 2 * kKeySize) {
        return Error{
            .code = ErrorCode::InvalidArgument,
            .message = "The key file " + file.string() + " does not hold a key.",
            .hint =
                "A key is 64 hexadecimal digits. Without the file a new one is made, and state that was "
                "saved before cannot be read any more."};
    }
    return StateKey(std::move(key));
}

std::string StateKey::id() const { return sha256("troupe state key " + key_).substr(0, kKeyName); }

std::string StateKey::derive(std::string_view purpose) const {
    return hmac_sha256(key_, "troupe " + std::string(purpose));
}

std::string StateKey::seal(std::string_view session_id, std::string_view state) const {
    std::string plain = size_text(state.size()) + Compressor().compress(state, "");
    std::string nonce = random_bytes(kNonce);
    std::string tag(kTag, '\0'), sealed(plain.size(), '\0');
    Cipher cipher;
    int length = 0;
    bool done =
        EVP_EncryptInit_ex(cipher.context, EVP_aes_256_gcm(), nullptr, bytes(key_), bytes(nonce)) &&
        EVP_EncryptUpdate(cipher.context, nullptr, &length, bytes(session_id), int(session_id.size())) &&
        EVP_EncryptUpdate(cipher.context, bytes(sealed), &length, bytes(plain), int(plain.size())) &&
        EVP_EncryptFinal_ex(cipher.context, bytes(sealed) + length, &length) &&
        EVP_CIPHER_CTX_ctrl(cipher.context, EVP_CTRL_GCM_GET_TAG, kTag, tag.data());
    // AES-GCM fails on no input; unsealed state must never be written.
    if (!done) std::abort();
    return kVersion + id() + nonce + tag + sealed;
}

Result<std::string> StateKey::open(std::string_view session_id, std::string_view sealed) const {
    Error damaged = unreadable(session_id, "it was changed after it was saved.", "Begin a new session.");
    if (sealed.size() < kHeader || sealed[0] != kVersion) return damaged;
    if (sealed.substr(1, kKeyName) != id())
        return unreadable(session_id, "it was saved with another key.",
                          "Set store.keyFile to the file it was saved with, or begin a new session.");
    std::string_view nonce = sealed.substr(1 + kKeyName, kNonce);
    std::string tag(sealed.substr(1 + kKeyName + kNonce, kTag));
    std::string_view body = sealed.substr(kHeader);
    std::string plain(body.size(), '\0');
    Cipher cipher;
    int length = 0;
    bool done =
        EVP_DecryptInit_ex(cipher.context, EVP_aes_256_gcm(), nullptr, bytes(key_), bytes(nonce)) &&
        EVP_DecryptUpdate(cipher.context, nullptr, &length, bytes(session_id), int(session_id.size())) &&
        EVP_DecryptUpdate(cipher.context, bytes(plain), &length, bytes(body), int(body.size())) &&
        EVP_CIPHER_CTX_ctrl(cipher.context, EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) &&
        EVP_DecryptFinal_ex(cipher.context, bytes(plain) + length, &length);
    if (!done || plain.size() < 8) return damaged;
    std::uint64_t size = 0;
    std::memcpy(&size, plain.data(), sizeof size);
    Result<std::string> state = Compressor().decompress(std::string_view(plain).substr(8), "", size);
    if (!state) return damaged;
    return state;
}

}  // namespace store
