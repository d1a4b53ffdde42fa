// Long texts and binaries: stored once by their SHA-256, compressed, with reference counts.
//
// Most of a snapshot equals the previous one. So a text may be stored as the difference to its base, another
// blob, which it then refers to. Such chains are short: reading the last of one decompresses a bounded
// amount.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/compress.h"
#include "store/database.h"

namespace store {

// Texts up to this size are stored in their own row.
inline constexpr std::size_t kMaxInlineLength = 256;
// A chain ends, and the next text is stored whole, at this many texts or bytes.
inline constexpr int kMaxChainLength = 64;
inline constexpr std::size_t kMaxChainBytes = 16 << 20;

// The text last stored under a key, the base of the next.
struct BlobBase {
    std::int64_t id = 0;
    int depth = 0;
    std::string text;
    std::string hash;
    std::vector<std::uint64_t> lines = {};  // for the search index: see search_text.h
};

// Stores and releases blobs. Belongs to the writer.
class BlobWriter {
public:
    explicit BlobWriter(Database& db) : db_(db) {}

    struct Stored {
        std::int64_t id = 0;
        std::shared_ptr<BlobBase> before;  // last stored under a key; may be null
        bool is_own = false;               // `before` is of the first key
        std::shared_ptr<BlobBase> now;     // null for a text too long to be kept in memory
    };
    // Takes one reference. `keys` name the places to look for a base, best first; the text becomes their
    // base.
    Result<Stored> put(std::string_view text, const std::vector<std::string>& keys);
    // Gives one reference back; removes the blob after the last one, and perhaps its base.
    Result<void> release(std::int64_t id);
    // Call after a failed transaction: remembered texts may not be stored.
    void forget_all();

private:
    struct Remembered {
        std::shared_ptr<BlobBase> base;
        std::list<std::string>::iterator place;
    };
    std::shared_ptr<BlobBase> recall(const std::vector<std::string>& keys, bool& is_first);
    void remember(const std::vector<std::string>& keys, std::shared_ptr<BlobBase> base);
    void forget(std::unordered_map<std::string, Remembered>::iterator it);
    Result<std::int64_t> find(std::string_view hash, int* depth);
    Result<std::int64_t> insert(std::string_view hash, std::string_view text, const BlobBase* base,
                                int* depth);
    // False when the blob is gone: another server's retention may have removed it, and its number may be
    // another text's by now.
    Result<bool> refer(std::int64_t id, std::string_view hash);

    Database& db_;
    Compressor compressor_;
    std::unordered_map<std::string, Remembered> bases_;
    std::unordered_multimap<std::int64_t, std::string> keys_of_;
    std::list<std::string> by_use_;  // keys, the least recently used first
    std::size_t remembered_bytes_ = 0;
};

// The exact bytes of a blob. Works on any connection.
Result<std::string> read_blob(Database& db, Compressor& compressor, std::int64_t id);
// The number of the blob with this hash, 0 when there is none.
Result<std::int64_t> find_blob(Database& db, std::string_view hash);

}  // namespace store
