#include "store/blobs.h"

#include "util/crypto.h"

namespace store {
namespace {

constexpr std::size_t kMaxRememberedBytes = 32 << 20;
constexpr std::size_t kMaxRememberedTextBytes = 4 << 20;

// Whether a text of this size may still be stored as a difference to `base`.
bool extends_chain(const BlobBase* base, std::size_t size) {
    if (!base || base->depth + 1 >= kMaxChainLength) return false;
    return static_cast<std::size_t>(base->depth + 1) * std::max(size, base->text.size()) < kMaxChainBytes;
}

// Includes line hashes, which come later and take about a fifth of the text.
std::size_t cost(const BlobBase& base) { return base.text.size() + base.text.size() / 4 + 256; }

}  // namespace

Result<BlobWriter::Stored> BlobWriter::put(std::string_view text, const std::vector<std::string>& keys) {
    Stored stored;
    stored.before = recall(keys, stored.is_own);
    // Usually the text has not changed, and needs no hash.
    if (stored.before && stored.before->text == text && TRY(refer(stored.before->id, stored.before->hash))) {
        stored.id = stored.before->id;
        stored.now = stored.before;
        remember(keys, stored.before);
        return stored;
    }
    std::string hash = sha256(text);
    int depth = 0;
    stored.id = TRY(find(hash, &depth));
    if (stored.id) {
        TRY(refer(stored.id, hash));
    } else {
        stored.id = TRY(insert(hash, text, stored.before.get(), &depth));
    }
    if (text.size() <= kMaxRememberedTextBytes) {
        stored.now = std::make_shared<BlobBase>(stored.id, depth, std::string(text), hash);
        remember(keys, stored.now);
    }
    return stored;
}

Result<std::int64_t> BlobWriter::find(std::string_view hash, int* depth) {
    Query query = TRY(db_.query("SELECT id, depth FROM blobs WHERE substr(hash, 1, 8) = ?1 AND hash = ?2"));
    query.bind(Bytes{hash.substr(0, 8)}, Bytes{hash});
    if (!TRY(query.step())) return 0;
    *depth = static_cast<int>(query.integer(1));
    return query.integer(0);
}

Result<std::int64_t> BlobWriter::insert(std::string_view hash, std::string_view text, const BlobBase* base,
                                        int* depth) {
    if (!extends_chain(base, text.size())) base = nullptr;
    std::string content = compressor_.compress(text, base ? std::string_view(base->text) : "");
    // A poor difference, as to another page, is not worth a chain.
    if (base && content.size() > text.size() / 16) {
        std::string alone = compressor_.compress(text, "");
        if (content.size() * 3 > alone.size() * 2) {
            content = std::move(alone);
            base = nullptr;
        }
    }
    if (base && !TRY(refer(base->id, base->hash))) {
        content = compressor_.compress(text, "");
        base = nullptr;
    }
    *depth = base ? base->depth + 1 : 0;
    if (content.empty())
        return Error{.code = ErrorCode::ResourceExhausted, .message = "A text could not be compressed."};
    Query query = TRY(db_.query(
        R"(INSERT INTO blobs (hash, "references", size, base, depth, content) VALUES (?1, 1, ?2, ?3, ?4, ?5))"));
    query.bind(Bytes{hash}, text.size(), base ? std::optional(base->id) : std::nullopt, *depth,
               Bytes{content});
    TRY(query.run());
    return db_.last_id();
}

Result<bool> BlobWriter::refer(std::int64_t id, std::string_view hash) {
    Query query =
        TRY(db_.query(R"(UPDATE blobs SET "references" = "references" + 1 WHERE id = ?1 AND hash = ?2)"));
    TRY(query.bind(id, Bytes{hash}).run());
    return db_.changes() > 0;
}

Result<void> BlobWriter::release(std::int64_t id) {
    while (id) {
        std::int64_t base = 0;
        {
            Query query = TRY(db_.query(R"(SELECT "references", base FROM blobs WHERE id = ?1)"));
            if (!TRY(query.bind(id).step())) return ok();
            if (query.integer(0) > 1) {
                Query fewer =
                    TRY(db_.query(R"(UPDATE blobs SET "references" = "references" - 1 WHERE id = ?1)"));
                return fewer.bind(id).run();
            }
            base = query.integer(1);
        }
        Query remove = TRY(db_.query("DELETE FROM blobs WHERE id = ?1"));
        TRY(remove.bind(id).run());
        // The blob can be no base from now on.
        for (auto it = keys_of_.find(id); it != keys_of_.end(); it = keys_of_.find(id))
            forget(bases_.find(it->second));
        id = base;
    }
    return ok();
}

std::shared_ptr<BlobBase> BlobWriter::recall(const std::vector<std::string>& keys, bool& is_first) {
    for (const std::string& key : keys) {
        is_first = key == keys.front();
        if (auto it = bases_.find(key); it != bases_.end()) return it->second.base;
    }
    return nullptr;
}

void BlobWriter::remember(const std::vector<std::string>& keys, std::shared_ptr<BlobBase> base) {
    for (const std::string& key : keys) {
        if (auto it = bases_.find(key); it != bases_.end()) {
            if (it->second.base == base) {
                by_use_.splice(by_use_.end(), by_use_, it->second.place);
                continue;
            }
            forget(it);
        }
        by_use_.push_back(key);
        bases_.emplace(key, Remembered{base, std::prev(by_use_.end())});
        keys_of_.emplace(base->id, key);
        remembered_bytes_ += cost(*base);
    }
    while (remembered_bytes_ > kMaxRememberedBytes && bases_.size() > 1) forget(bases_.find(by_use_.front()));
}

void BlobWriter::forget(std::unordered_map<std::string, Remembered>::iterator it) {
    if (it == bases_.end()) return;
    auto [key, end] = keys_of_.equal_range(it->second.base->id);
    for (; key != end; ++key) {
        if (key->second == it->first) {
            keys_of_.erase(key);
            break;
        }
    }
    remembered_bytes_ -= std::min(remembered_bytes_, cost(*it->second.base));
    by_use_.erase(it->second.place);
    bases_.erase(it);
}

void BlobWriter::forget_all() {
    bases_.clear();
    keys_of_.clear();
    by_use_.clear();
    remembered_bytes_ = 0;
}

Result<std::string> read_blob(Database& db, Compressor& compressor, std::int64_t id) {
    struct Link {
        std::string content;
        std::string hash;
        std::size_t size;
    };
    std::vector<Link> chain;
    while (id) {
        Query query = TRY(db.query("SELECT content, hash, size, base FROM blobs WHERE id = ?1"));
        if (!TRY(query.bind(id).step()) || chain.size() > kMaxChainLength)
            return Error{.message = "A stored text is damaged.", .details = "blob " + std::to_string(id)};
        chain.push_back({std::string(query.text(0)), std::string(query.text(1)),
                         static_cast<std::size_t>(query.integer(2))});
        id = query.integer(3);
    }
    std::string text;
    for (auto link = chain.rbegin(); link != chain.rend(); ++link)
        text = TRY(compressor.decompress(link->content, text, link->size));
    if (!chain.empty() && sha256(text) != chain.front().hash)
        return Error{.message = "A stored text is damaged.", .details = "its hash does not match"};
    return text;
}

Result<std::int64_t> find_blob(Database& db, std::string_view hash) {
    Query query = TRY(db.query("SELECT id FROM blobs WHERE substr(hash, 1, 8) = ?1 AND hash = ?2"));
    query.bind(Bytes{hash.substr(0, 8)}, Bytes{hash});
    if (!TRY(query.step())) return 0;
    return query.integer(0);
}

}  // namespace store
