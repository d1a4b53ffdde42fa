#include "store/compress.h"

#include <algorithm>
#include <bit>
#include <zstd.h>

namespace store {
namespace {

constexpr int kLevel = 3;
constexpr int kMinWindow = 10;
// From this size on, matches lie too far back for the ordinary search at this level.
constexpr std::size_t kLongDistance = 256 << 10;

}  // namespace

struct Compressor::Contexts {
    ZSTD_CCtx* compress = ZSTD_createCCtx();
    ZSTD_DCtx* decompress = ZSTD_createDCtx();
    ~Contexts() {
        ZSTD_freeCCtx(compress);
        ZSTD_freeDCtx(decompress);
    }
};

Compressor::Compressor() : contexts_(std::make_unique<Contexts>()) {}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;

std::string Compressor::compress(std::string_view text, std::string_view base) {
    ZSTD_CCtx* context = contexts_->compress;
    ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel);
    if (!base.empty()) {
        // The window must reach back over both.
        std::size_t reach = text.size() + base.size();
        int window = std::clamp(static_cast<int>(std::bit_width(reach)), kMinWindow, 27);
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window);
        if (reach > kLongDistance) ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
        ZSTD_CCtx_refPrefix(context, base.data(), base.size());
    }
    std::string compressed;
    std::size_t written = 0;
    compressed.resize_and_overwrite(ZSTD_compressBound(text.size()), [&](char* out, std::size_t room) {
        written = ZSTD_compress2(context, out, room, text.data(), text.size());
        return ZSTD_isError(written) ? 0 : written;
    });
    return compressed;
}

Result<std::string> Compressor::decompress(std::string_view compressed, std::string_view base,
                                           std::size_t size) {
    ZSTD_DCtx* context = contexts_->decompress;
    ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
    if (!base.empty()) ZSTD_DCtx_refPrefix(context, base.data(), base.size());
    std::string text;
    std::size_t written = 0;
    text.resize_and_overwrite(size, [&](char* out, std::size_t room) {
        written = ZSTD_decompressDCtx(context, out, room, compressed.data(), compressed.size());
        return ZSTD_isError(written) ? 0 : written;
    });
    if (ZSTD_isError(written) || written != size)
        return Error{.message = "A stored text is damaged.", .details = ZSTD_getErrorName(written)};
    return text;
}

}  // namespace store
