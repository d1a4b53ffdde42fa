#include "image/png.h"

#include <png.h>

namespace image {
namespace {

// Wraps libpng's simple interface, which reports errors by message and never jumps out of a frame.
class Image {
public:
    Image() { image_.version = PNG_IMAGE_VERSION; }
    Image(const Image&) = delete;
    ~Image() { png_image_free(&image_); }
    png_image* operator->() { return &image_; }
    png_image* get() { return &image_; }
    std::string message() const { return image_.message; }

private:
    png_image image_{};
};

std::string size_text(std::int64_t width, std::int64_t height) {
    return std::to_string(width) + "x" + std::to_string(height);
}

}  // namespace

Result<Bitmap> decode_png(std::string_view bytes) {
    if (bytes.size() > kMaxBytes) {
        return Error{.code = ErrorCode::ResourceExhausted,
                     .message = "The picture has " + std::to_string(bytes.size()) + " bytes; " +
                                std::to_string(kMaxBytes) + " is the most."};
    }
    auto broken = [](const std::string& why) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "It is no PNG that can be read: " + why + "."};
    };
    Image image;
    if (!png_image_begin_read_from_memory(image.get(), bytes.data(), bytes.size()))
        return broken(image.message());
    std::int64_t width = image->width, height = image->height;
    if (width > kMaxPixels || height > kMaxPixels || width * height > kMaxPixels) {
        return Error{.code = ErrorCode::ResourceExhausted,
                     .message = "The picture has " + size_text(width, height) + " pixels; " +
                                std::to_string(kMaxPixels) + " is the most.",
                     .hint = "Compare a single element, or only what is in view."};
    }
    image->format = PNG_FORMAT_RGBA;
    Bitmap bitmap(static_cast<int>(width), static_cast<int>(height));
    if (!png_image_finish_read(image.get(), nullptr, bitmap.rgba.data(), 0, nullptr))
        return broken(image.message());
    return bitmap;
}

Result<std::string> encode_png(const Bitmap& bitmap) {
    Image image;
    image->width = static_cast<png_uint_32>(bitmap.width);
    image->height = static_cast<png_uint_32>(bitmap.height);
    image->format = PNG_FORMAT_RGBA;
    image->flags = PNG_IMAGE_FLAG_FAST;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(*image.get());
    std::string bytes(size, '\0');
    if (!png_image_write_to_memory(image.get(), bytes.data(), &size, 0, bitmap.rgba.data(), 0, nullptr))
        return Error{.code = ErrorCode::InternalError,
                     .message = "The picture could not be written: " + image.message()};
    bytes.resize(size);
    return bytes;
}

}  // namespace image
