#include "image/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using image::Bitmap;
using image::Box;
using image::compare;
using testing::ElementsAre;
using testing::IsEmpty;

Bitmap filled(int width, int height, std::uint8_t value) {
    Bitmap bitmap(width, height);
    std::ranges::fill(bitmap.rgba, value);
    for (std::size_t i = 3; i < bitmap.rgba.size(); i += 4) bitmap.rgba[i] = 255;
    return bitmap;
}

void fill(Bitmap& bitmap, const Box& box, std::uint8_t value) {
    for (int y = box.y; y < box.y + box.height; ++y) {
        for (int x = box.x; x < box.x + box.width; ++x) std::fill_n(bitmap.at(x, y), 3, value);
    }
}

TEST(Difference, IsNothingBetweenEqualPictures) {
    Bitmap picture = filled(20, 10, 90);
    image::Difference difference = compare(picture, picture, {.tolerance = 0});
    EXPECT_EQ(difference.differing, 0);
    EXPECT_EQ(difference.compared, 200);
    EXPECT_EQ(difference.percent(), 0);
    EXPECT_THAT(difference.regions, IsEmpty());
}

TEST(Difference, CountsAndFindsWhatChanged) {
    Bitmap before = filled(100, 100, 255), after = before;
    fill(after, {5, 6, 10, 10}, 0);
    fill(after, {70, 80, 2, 3}, 0);

    image::Difference difference = compare(before, after, {});

    EXPECT_EQ(difference.differing, 106);
    EXPECT_DOUBLE_EQ(difference.percent(), 1.06);
    EXPECT_THAT(difference.regions, ElementsAre(Box{5, 6, 10, 10}, Box{70, 80, 2, 3}));
    EXPECT_GT(difference.marked.at(8, 8)[0], 200) << "red";
    EXPECT_LT(difference.marked.at(8, 8)[1], 50);
    EXPECT_EQ(difference.marked.at(50, 50)[0], difference.marked.at(50, 50)[1]) << "grey";
}

TEST(Difference, ToleratesColoursThatAreCloseEnough) {
    Bitmap before = filled(10, 10, 100), after = filled(10, 10, 110);
    EXPECT_EQ(compare(before, after, {.tolerance = 0.1}).differing, 0);
    EXPECT_EQ(compare(before, after, {.tolerance = 0.02}).differing, 100);
    EXPECT_EQ(compare(filled(1, 1, 0), filled(1, 1, 255), {.tolerance = 0.999}).differing, 1);
}

TEST(Difference, LeavesOutWhatIsMasked) {
    Bitmap before = filled(20, 20, 255), after = before;
    fill(after, {0, 0, 20, 5}, 0);

    image::Difference difference = compare(before, after, {.masks = {{-100, -100, 1000, 105}}});

    EXPECT_EQ(difference.differing, 0);
    EXPECT_EQ(difference.compared, 300);
    EXPECT_EQ(compare(before, after, {.masks = {{0, 0, 2147483647, 2147483647}}}).percent(), 0);
}

TEST(Difference, CountsWhatOnlyOneOfThemHas) {
    image::Difference difference = compare(filled(10, 10, 9), filled(10, 15, 9), {});
    EXPECT_EQ(difference.compared, 150);
    EXPECT_EQ(difference.differing, 50);
    EXPECT_EQ(difference.marked.height, 15);
    EXPECT_EQ(compare(filled(20, 5, 9), filled(5, 20, 9), {}).differing, 375);
}

}  // namespace
