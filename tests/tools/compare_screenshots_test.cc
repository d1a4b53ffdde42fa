#include "image/difference.h"
#include "image/png.h"
#include "tests/tools/toolkit_support.h"

namespace {

using testing::HasSubstr;

class CompareScreenshots : public fakes::ToolkitTest {
protected:
    using ToolkitTest::ToolkitTest;

    static std::string png(int width, int height, std::uint8_t value = 255, int dark_rows = 0) {
        image::Bitmap bitmap(width, height);
        std::ranges::fill(bitmap.rgba, value);
        std::fill_n(bitmap.rgba.begin(), static_cast<std::ptrdiff_t>(width) * dark_rows * 4, std::uint8_t{0});
        for (std::size_t i = 3; i < bitmap.rgba.size(); i += 4) bitmap.rgba[i] = 255;
        return image::encode_png(bitmap).value();
    }
    void show(const std::string& bytes, engine::Size size = {100, 100}) {
        page().picture = {.base64 = base64_encode(bytes), .size = size};
    }
    json::object compare(std::string_view arguments) {
        json::object answer = ask("compare_screenshots", arguments);
        return answer.contains("data") ? answer["data"].as_object() : answer["error"].as_object();
    }
};

TEST_F(CompareScreenshots, PassesWhereNothingChanged) {
    directory.write("home.png", png(100, 100));
    show(png(100, 100));

    json::object data = compare(R"({"baseline": "home.png"})");

    EXPECT_EQ(data["passes"], true);
    EXPECT_EQ(data["percent"].to_number<double>(), 0);
    EXPECT_EQ(json::serialize(data["current"]), R"({"width":100,"height":100})");
    EXPECT_THAT(page().done, testing::Contains("screenshot png css -"));
}

TEST_F(CompareScreenshots, TellsHowMuchChangedAndMarksIt) {
    directory.write("home.png", png(100, 100));
    show(png(100, 100, 255, 2));
    json::value arguments = json::parse(R"({"baseline": "home.png", "threshold": 1.5})").value();

    auto result = fakes::run_task(loop, start_call("compare_screenshots", arguments)).value();

    json::object data = result.structured->at("data").as_object();
    EXPECT_EQ(data["passes"], false);
    EXPECT_EQ(data["percent"].to_number<double>(), 2);
    EXPECT_EQ(json::serialize(data["regions"]), R"([{"x":0,"y":0,"width":100,"height":2}])");
    std::string file(data["file"].as_string());
    EXPECT_THAT(file, HasSubstr("difference-"));
    auto marked = image::decode_png(directory.read(file));
    ASSERT_TRUE(marked);
    EXPECT_EQ(marked->width, 100);
    EXPECT_EQ(std::get<tools::Image>(result.content.back()).mime_type, "image/png");
    EXPECT_EQ(compare(R"({"baseline": "home.png", "threshold": 2})")["passes"], true);
}

TEST_F(CompareScreenshots, LeavesMasksOut) {
    directory.write("home.png", png(100, 100));
    show(png(100, 100, 255, 10));
    page().readings["elements"] =
        json::parse(R"({"total": 1, "elements": [{"box": {"x": 0, "y": 0, "width": 99.5, "height": 6}}]})")
            .value();
    page().add_element(".clock");

    json::object data = compare(
        R"({"baseline": "home.png", "masks": [".clock", {"x": 0, "y": 6, "width": 100, "height": 4}]})");

    EXPECT_EQ(data["percent"].to_number<double>(), 0);
    EXPECT_EQ(data["masks"], 2);
    EXPECT_EQ(data["comparedPixels"], 9000);
    EXPECT_EQ(compare(R"({"baseline": "home.png", "masks": [7]})")["code"], "INVALID_ARGUMENT");
}

TEST_F(CompareScreenshots, CountsMasksFromThePicturesCorner) {
    directory.write("home.png", png(100, 100));
    show(png(100, 100, 255, 10));
    page().readings["first"] =
        json::parse(R"({"box": {"x": 30.5, "y": 400, "width": 100, "height": 100}})").value();
    page().readings["elements"] =
        json::parse(R"({"total": 1, "elements": [{"box": {"x": 30, "y": 400, "width": 100, "height": 10}}]})")
            .value();

    EXPECT_EQ(compare(R"({"baseline": "home.png", "selector": "#it", "masks": ["#it"]})")["percent"]
                  .to_number<double>(),
              0);
    page().readings["scroll"] = json::parse(R"({"x": 0, "y": 300})").value();
    page().readings["elements"] =
        json::parse(R"({"total": 1, "elements": [{"box": {"x": 0, "y": -300, "width": 100, "height": 10}}]})")
            .value();
    EXPECT_EQ(compare(R"({"baseline": "home.png", "fullPage": true, "masks": ["#it"]})")["percent"]
                  .to_number<double>(),
              0);
}

TEST_F(CompareScreenshots, ReportsDifferentSizesAndDoesNotPass) {
    directory.write("home.png", png(100, 50));
    show(png(100, 100));

    json::object data = compare(R"({"baseline": "home.png", "threshold": 100})");

    EXPECT_EQ(data["passes"], false);
    EXPECT_EQ(data["sameSize"], false);
    EXPECT_EQ(data["percent"].to_number<double>(), 50);
    EXPECT_EQ(json::serialize(data["baseline"]), R"({"width":100,"height":50})");
}

TEST_F(CompareScreenshots, WritesAMissingBaselineOnlyWhenAsked) {
    show(png(100, 100));
    json::object missing = compare(R"({"baseline": "shots/home.png"})");
    EXPECT_EQ(missing["code"], "NOT_FOUND");
    EXPECT_THAT(std::string(missing["suggestion"].as_string()), HasSubstr("update: true"));
    EXPECT_FALSE(directory.has("shots/home.png"));

    EXPECT_EQ(compare(R"({"baseline": "shots/home.png", "update": true})")["baselineWritten"], true);

    EXPECT_EQ(directory.read("shots/home.png"), png(100, 100));
    show(png(100, 100, 0));
    EXPECT_EQ(compare(R"({"baseline": "shots/home.png", "update": true})")["passes"], false);
    EXPECT_EQ(directory.read("shots/home.png"), png(100, 100)) << "what is there is not replaced";
}

TEST_F(CompareScreenshots, RefusesWhatIsNoPictureAndWhatIsOutside) {
    show(png(100, 100));
    directory.write("home.png", "no picture");
    json::object broken = compare(R"({"baseline": "home.png"})");
    EXPECT_EQ(broken["code"], "INVALID_ARGUMENT");
    EXPECT_THAT(std::string(broken["message"].as_string()), HasSubstr("The baseline cannot be used."));
    EXPECT_EQ(code("compare_screenshots", R"({"baseline": "/etc/passwd"})"), "POLICY_DENIED");
    EXPECT_EQ(code("compare_screenshots", R"({"baseline": "."})"), "INVALID_ARGUMENT");
    EXPECT_EQ(code("compare_screenshots", R"({"baseline": "123e4567-e89b-42d3-a456-426614174000"})"),
              "NOT_FOUND");
    EXPECT_EQ(code("compare_screenshots", R"({"baseline": "home.png", "selector": "#it", "fullPage": true})"),
              "INVALID_ARGUMENT");
}

}  // namespace
