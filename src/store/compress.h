// zstd, alone or as the difference to a similar text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "util/result.h"

namespace store {

// Keeps zstd's working memory between texts. One thread at a time.
class Compressor {
public:
    Compressor();
    ~Compressor();
    Compressor(Compressor&&) noexcept;

    // `base` may be empty; decompressing needs the same one.
    std::string compress(std::string_view text, std::string_view base);
    // `size` is the size of the text.
    Result<std::string> decompress(std::string_view compressed, std::string_view base, std::size_t size);

private:
    struct Contexts;
    std::unique_ptr<Contexts> contexts_;
};

}  // namespace store
