#include "image/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using image::Bitmap;
using testing::HasSubstr;

Bitmap some_picture(int width, int height) {
    Bitmap bitmap(width, height);
    for (std::size_t i = 0; i < bitmap.rgba.size(); ++i)
        bitmap.rgba[i] = i % 4 == 3 ? 255 : static_cast<std::uint8_t>(i * 7);
    return bitmap;
}

TEST(Png, ReadsWhatItWrote) {
    Bitmap bitmap = some_picture(37, 11);
    auto read = image::decode_png(image::encode_png(bitmap).value());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->width, 37);
    EXPECT_EQ(read->height, 11);
    EXPECT_EQ(read->rgba, bitmap.rgba);
}

TEST(Png, RefusesWhatIsNoneAndWhatIsBroken) {
    std::string whole = image::encode_png(some_picture(40, 40)).value();
    for (const std::string& bytes : {std::string(), std::string("GIF89a"), whole.substr(0, 8),
                                     whole.substr(0, 60), whole.substr(0, whole.size() / 2)}) {
        auto read = image::decode_png(bytes);
        ASSERT_FALSE(read) << bytes.size();
        EXPECT_EQ(read.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(read.error().message, HasSubstr("no PNG"));
    }
    std::string damaged = whole;
    damaged[70] = static_cast<char>(damaged[70] ^ 0x55);
    EXPECT_FALSE(image::decode_png(damaged));
}

// A few bytes that promise gigabytes: refused by what the header says.
TEST(Png, RefusesAPictureThatWouldBeTooLarge) {
    std::string bytes = image::encode_png(some_picture(1, 1)).value();
    // Width and height stand behind the signature and the head of IHDR; its checksum is made anew.
    const unsigned char head[] = {'I',  'H',  'D',  'R', 0x00, 0x00, 0xFF, 0xFF, 0x00,
                                  0x00, 0xFF, 0xFF, 8,   6,    0,    0,    0};
    std::uint32_t crc = 0xFFFFFFFF;
    for (unsigned char byte : head) {
        crc ^= byte;
        for (int i = 0; i < 8; ++i) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
    }
    crc = ~crc;
    std::copy(std::begin(head), std::end(head), bytes.begin() + 12);
    for (int i = 0; i < 4; ++i)
        bytes[29 + static_cast<std::size_t>(i)] = static_cast<char>(crc >> (24 - 8 * i));

    auto read = image::decode_png(bytes);

    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::ResourceExhausted);
    EXPECT_THAT(read.error().message, HasSubstr("65535x65535"));
}

TEST(Bitmap, IsMadeSmallerOnlyWhereItIsTooLarge) {
    Bitmap same = image::fitted(some_picture(30, 20), 30, 600);
    EXPECT_EQ(same.width, 30);
    Bitmap smaller = image::fitted(Bitmap(100, 50), 50, 1e6);
    EXPECT_EQ(smaller.width, 50);
    EXPECT_EQ(smaller.height, 25);
    Bitmap fewer = image::fitted(Bitmap(100, 100), 1000, 2500);
    EXPECT_EQ(fewer.width, 50);
    Bitmap mixed(2, 1);
    mixed.rgba = {0, 0, 0, 255, 100, 200, 50, 255};
    EXPECT_EQ(image::fitted(mixed, 1, 10).rgba, (std::vector<std::uint8_t>{50, 100, 25, 255}));
}

}  // namespace
