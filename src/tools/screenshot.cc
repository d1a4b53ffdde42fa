#include <array>

#include "tools/browser_tools.h"
#include "tools/screenshot_limit.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace tools {
namespace {

enum class ImageType { Png, Jpeg, Webp };
constexpr auto enum_names(ImageType) {
    return std::to_array<schema::EnumName<ImageType>>(
        {{ImageType::Png, "png"}, {ImageType::Jpeg, "jpeg"}, {ImageType::Webp, "webp"}});
}
enum class Scale { Css, Device };
constexpr auto enum_names(Scale) {
    return std::to_array<schema::EnumName<Scale>>({{Scale::Css, "css"}, {Scale::Device, "device"}});
}

struct ScreenshotParams {
    std::optional<std::string> element;
    std::optional<std::string> target;
    std::optional<ImageType> type;
    std::optional<std::string> filename;
    std::optional<bool> full_page;
    Scale scale = Scale::Css;

    std::string name() const { return filename.value_or(""); }
};

ImageType type_from_name(const std::string& name) {
    std::string extension = to_lower(std::filesystem::path(name).extension().string());
    if (extension == ".jpg" || extension == ".jpeg") return ImageType::Jpeg;
    return extension == ".webp" ? ImageType::Webp : ImageType::Png;
}

// Models see an image at no more than this size; a larger one only costs tokens.
bool fits_model(engine::Size size) {
    double width = size.width, height = size.height;
    return width <= 1568 && height <= 1568 && width * height <= 1.15 * 1024 * 1024;
}

struct Shot {
    std::shared_ptr<engine::Element> element;
    engine::ScreenshotOptions options;
};

// Takes the screenshot by the method with which an init page replaced Playwright's.
Task<engine::Screenshot> take_as_replaced(Tab& tab, engine::ScreenshotOptions options) {
    json::object arguments{{"type", options.format},
                           {"fullPage", options.full_page},
                           {"scale", schema::name_of(options.css_scale ? Scale::Css : Scale::Device)}};
    if (options.quality) arguments["quality"] = *options.quality;
    auto taken = co_await tab.run_code(
        "async page => (await page.screenshot(" + json::serialize(arguments) + ")).toString('base64')",
        tab.deadline());
    json::value base64 = co_await json::parse(taken.value_or("\"\""));
    co_return engine::Screenshot{.base64 = std::string(base64.is_string() ? base64.get_string() : ""),
                                 .size = {}};
}

// Nothing when a dialog interrupted it.
Task<std::optional<engine::Screenshot>> take(Tab& tab, const Shot& shot) {
    std::optional<engine::Screenshot> taken;
    if (!shot.element && tab.replaces("screenshot")) {
        co_await tab.until_modal(capture_into(take_as_replaced(tab, shot.options), taken));
        co_return taken;
    }
    Task<engine::Screenshot> taking =
        tab.page().screenshot(shot.options, shot.element, tab.action_deadline());
    co_await tab.run(tab.action(shot.element ? "locator.screenshot" : "page.screenshot"),
                     capture_into(std::move(taking), taken));
    co_return taken;
}

Task<Image> image_for_model(Tab& tab, Shot shot, engine::Screenshot taken) {
    if (!fits_model(taken.size)) {
        shot.options.fit = true;
        if (auto smaller = co_await take(tab, shot)) taken = std::move(*smaller);
    }
    co_return Image{std::move(taken.base64), "image/" + shot.options.format};
}

void add_code(const ScreenshotParams& params, const Shot& shot, const std::string& subject,
              const std::string& label, const std::string& path, Response& response) {
    json::object options{
        {"type", shot.options.format}, {"scale", schema::name_of(params.scale)}, {"path", path}};
    if (shot.options.quality) options["quality"] = *shot.options.quality;
    if (params.full_page) options["fullPage"] = *params.full_page;
    response.add_code("// Screenshot " + label + " and save it as " + path);
    response.add_code("await " + subject + ".screenshot(" + to_javascript(options) + ");");
}

Task<> take_screenshot(Tab& tab, ScreenshotParams params, Response& response) {
    bool whole = params.full_page.value_or(false);
    bool of_element = !params.target.value_or("").empty();
    if (whole && of_element) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "fullPage cannot be used with element screenshots."};
    }
    ImageType type = params.type.value_or(type_from_name(params.name()));
    Shot shot{.options = {.format = std::string(schema::name_of(type)),
                          .full_page = whole,
                          .css_scale = params.scale == Scale::Css}};
    if (type == ImageType::Jpeg) shot.options.quality = 90;
    std::string subject = "page";
    std::string label = whole ? "full page" : "viewport";
    if (of_element) {
        engine::Located found = co_await tab.find(*params.target);
        shot.element = found.element;
        subject += "." + found.javascript;
        label = params.element.value_or("").empty() ? "element" : *params.element;
    }
    auto taken = co_await take(tab, shot);
    if (!taken) co_return;
    co_await check_screenshot(tab.session(), *taken);
    std::string bytes = co_await base64_decode(taken->base64);
    OutputFile file = co_await response.output_file({.prefix = of_element ? "element" : "page",
                                                     .extension = shot.options.format,
                                                     .given = params.name()});
    add_code(params, shot, subject, label, file.shown, response);
    co_await response.add_file("Screenshot of " + label, file, bytes);
    tab.note_picture(file.path, taken->size, whole);
    bool shown =
        params.name().empty() && tab.session().options().image_responses != session::ImageResponses::Omit;
    if (shown) response.add_image(co_await image_for_model(tab, shot, std::move(*taken)));
}

}  // namespace

std::vector<Tool> screenshot_tools(const SessionResolver& sessions) {
    return {
        tab_tool<ScreenshotParams>(
            sessions,
            {
                .name = "browser_take_screenshot",
                .title = "Take a screenshot",
                .description =
                    "Take a picture of the page or an element. To act on elements, use browser_snapshot.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"element", &ScreenshotParams::element, kElementHelp},
                        {"target",
                         &ScreenshotParams::target,
                         "Only this element: its ref or a unique selector.",
                         {.aliases = {"ref"}}},
                        {"type", &ScreenshotParams::type,
                         "Image format; unless given, what the filename says, else png."},
                        {"filename", &ScreenshotParams::filename,
                         "File to save to, relative to the workspace; the answer then has no picture."},
                        {"fullPage", &ScreenshotParams::full_page,
                         "The whole page, not only what is in view. Not with a target."},
                        {"scale",
                         &ScreenshotParams::scale,
                         "css: one pixel a CSS pixel; device: the screen's own pixels.",
                         {.default_value = "css"}},
                    },
                .handler = take_screenshot,
            }),
    };
}

}  // namespace tools
