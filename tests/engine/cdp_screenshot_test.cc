#include "engine/cdp/screenshot.h"
#include "tests/engine/cdp_chromium.h"

using cdp::ScreenshotRequest;
using cdp::take_screenshot;
using engine::Size;

namespace {

class CdpScreenshot : public ChromiumTest {
protected:
    void SetUp() override {
        ChromiumTest::SetUp();
        page = open_page();
        set_viewport({800, 600}, 1);
    }
    void set_viewport(Size size, double scale) {
        ASSERT_TRUE(run(page->send("Emulation.setDeviceMetricsOverride", {{"width", size.width},
                                                                          {"height", size.height},
                                                                          {"deviceScaleFactor", scale},
                                                                          {"mobile", false}})));
        request.viewport = size;
        request.device_scale_factor = scale;
    }
    // "800x600"
    std::string size_of_shot() {
        auto picture = run(take_screenshot(page, request, Deadline::in(fakes::kTimeout)));
        if (!picture) return picture.error().to_string();
        base64 = picture->base64;
        return std::to_string(picture->size.width) + "x" + std::to_string(picture->size.height);
    }
    // What the page itself sees in the last picture: "r,g,b" at a point.
    std::string pixel(int x, int y) {
        return evaluate_text(page,
                             "new Promise(done => { const image = new Image(); image.onload = () => {"
                             "const canvas = new OffscreenCanvas(image.width, image.height);"
                             "const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);"
                             "done([...context.getImageData(" +
                                 std::to_string(x) + ", " + std::to_string(y) +
                                 ", 1, 1).data].slice(0, 3).join()); };"
                                 "image.src = 'data:image/" +
                                 request.options.format + ";base64," + base64 + "'; })");
    }

    SessionPtr page;
    ScreenshotRequest request;
    std::string base64;
};

constexpr const char* kTall =
    "<body style='margin: 0'><div style='height: 2000px; background: linear-gradient(red 1000px, lime "
    "1000px)'></div>";

TEST_F(CdpScreenshot, ShowsTheViewport) {
    show(page, kTall);
    EXPECT_EQ(size_of_shot(), "800x600");
    EXPECT_EQ(pixel(10, 10), "255,0,0");

    evaluate(page, "scrollTo(0, 1200)");
    EXPECT_EQ(size_of_shot(), "800x600");
    EXPECT_EQ(pixel(10, 10), "0,255,0");
}

TEST_F(CdpScreenshot, ShowsTheFullPage) {
    show(page, kTall);
    evaluate(page, "scrollTo(0, 500)");
    request.options.full_page = true;

    EXPECT_EQ(size_of_shot(), "800x2000");
    EXPECT_EQ(pixel(10, 10), "255,0,0");
    EXPECT_EQ(pixel(10, 1900), "0,255,0");
    EXPECT_EQ(evaluate(page, "scrollY"), 500);
}

TEST_F(CdpScreenshot, ShowsAnElement) {
    show(
        page,
        "<body style='margin: 0; height: 3000px'><div style='position: absolute; top: 1000.4px; left: 10.2px;"
        "width: 99.9px; height: 50px; background: blue'></div>");
    evaluate(page, "scrollTo(0, 900)");
    request.element = {10.2, 100.4, 99.9, 50};

    EXPECT_EQ(size_of_shot(), "101x51");
    EXPECT_EQ(pixel(50, 25), "0,0,255");
}

TEST_F(CdpScreenshot, CountsCssOrDevicePixels) {
    show(page, kTall);
    set_viewport({400, 300}, 3);
    EXPECT_EQ(size_of_shot(), "400x300");

    request.options.css_scale = false;
    EXPECT_EQ(size_of_shot(), "1200x900");
}

TEST_F(CdpScreenshot, MakesJpegAndWebp) {
    show(page, kTall);
    for (const char* format : {"jpeg", "webp"}) {
        request.options.format = format;
        EXPECT_EQ(size_of_shot(), "800x600") << format;
        EXPECT_EQ(pixel(10, 10).substr(0, 2), "25") << format;
    }
    show(page, "<body style='background: repeating-conic-gradient(red, lime, blue 7deg)'>");
    request.options.format = "jpeg";
    request.options.quality = 100;
    EXPECT_EQ(size_of_shot(), "800x600");
    std::size_t best = base64.size();
    request.options.quality = 10;
    EXPECT_EQ(size_of_shot(), "800x600");
    EXPECT_LT(base64.size(), best);
}

TEST_F(CdpScreenshot, MakesThePictureFitAModel) {
    show(page, kTall);
    request.options.fit = true;
    EXPECT_EQ(size_of_shot(), "800x600");

    request.options.full_page = true;
    auto fits = [&](Size viewport, double scale) {
        set_viewport(viewport, scale);
        auto picture = run(take_screenshot(page, request, Deadline::in(fakes::kTimeout)));
        ASSERT_TRUE(picture);
        EXPECT_LE(picture->size.width, 1568);
        EXPECT_LE(picture->size.height, 1568);
        EXPECT_LE(picture->size.width * picture->size.height, 1.15 * 1024 * 1024);
        EXPECT_GE(picture->size.width * picture->size.height, 0.9 * 1024 * 1024 * 0.6);
    };
    fits({800, 600}, 1);
    fits({1333, 777}, 1);
    fits({2000, 1111}, 1);
    request.options.css_scale = false;
    fits({801, 603}, 2.625);
}

TEST_F(CdpScreenshot, HidesTheCaretAndBringsItBack) {
    show(page,
         "<body style='margin: 0'><textarea style='caret-color: red; font: 40px monospace; border: 0; "
         "outline: 0'>"
         "</textarea><script>document.querySelector('textarea').focus();"
         "changes = []; new MutationObserver(all => changes.push(all[0].target.style.caretColor))"
         ".observe(document, {subtree: true, attributes: true})</script>");
    EXPECT_EQ(size_of_shot(), "800x600");

    EXPECT_EQ(evaluate_text(page, "changes.join()"), "transparent,red");
    EXPECT_EQ(evaluate_text(page, "document.querySelector('textarea').style.caretColor"), "red");
}

TEST_F(CdpScreenshot, GivesUpOnAPageThatHangs) {
    show(page, "<p>busy</p>");
    page->post("Runtime.evaluate", {{"expression", "for (;;);"}});

    auto picture = run(take_screenshot(page, request, Deadline::in(std::chrono::milliseconds(300))));

    EXPECT_EQ(picture.error().code, ErrorCode::Timeout);
    page->post("Page.crash");
}

TEST(CdpFittingScale, ShrinksOnlyWhatIsTooLarge) {
    EXPECT_EQ(cdp::fitting_scale(1280, 720), 1);
    EXPECT_DOUBLE_EQ(cdp::fitting_scale(3136, 100), 0.5);
    EXPECT_NEAR(cdp::fitting_scale(1568, 1568), 0.7, 0.01);
    EXPECT_EQ(cdp::fitting_scale(0, 0), 1);
}

}  // namespace
