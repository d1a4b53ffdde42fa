#include <array>

#include "tools/screenshot_limit.h"
#include "tools/toolkit.h"
#include "util/strings.h"

namespace tools {
namespace {

enum class PictureType { Png, Jpeg, Webp };
constexpr auto enum_names(PictureType) {
    return std::to_array<schema::EnumName<PictureType>>(
        {{PictureType::Png, "png"}, {PictureType::Jpeg, "jpeg"}, {PictureType::Webp, "webp"}});
}

struct PictureParams {
    std::optional<PictureType> type;
    std::optional<int> quality;
    std::optional<int> timeout;
};

engine::ScreenshotOptions options_of(const PictureParams& params) {
    PictureType type = params.type.value_or(PictureType::Png);
    return {.format = std::string(schema::name_of(type)),
            .quality = type == PictureType::Png ? std::nullopt : params.quality};
}

// The picture as a file, and at the size that models see.
Task<json::value> take(Tab& tab, engine::ScreenshotOptions options, std::shared_ptr<engine::Element> element,
                       Timeout timeout, Response& response) {
    auto taken =
        co_await value_of(tab, run_as(timeout.operation(element ? "locator.screenshot" : "page.screenshot"),
                                      tab.page().screenshot(options, element, timeout.deadline)));
    co_await check_screenshot(tab.session(), taken);
    OutputFile file = co_await response.output_file(
        {.prefix = element ? "element" : "page", .extension = options.format, .given = ""});
    co_await response.write(file, co_await base64_decode(taken.base64));
    tab.note_picture(file.path, taken.size, options.full_page);
    auto captured = tab.pictures().back().taken.time_since_epoch();
    options.fit = true;
    auto smaller = co_await value_of(tab, tab.page().screenshot(options, element, timeout.deadline));
    std::string type = "image/" + options.format;
    response.add_image({std::move(smaller.base64), type});
    co_return json::object{
        {"file", file.shown},
        {"mimeType", type},
        {"width", taken.size.width},
        {"height", taken.size.height},
        {"fullPage", options.full_page},
        {"capturedAt", std::chrono::duration_cast<std::chrono::milliseconds>(captured).count()}};
}

struct PageParams : PictureParams {
    std::optional<bool> full_page;
};

Task<json::value> screenshot(Tab& tab, PageParams params, Response& response) {
    engine::ScreenshotOptions options = options_of(params);
    options.full_page = params.full_page.value_or(false);
    co_return co_await take(tab, options, nullptr, Timeout(tab, params.timeout), response);
}

struct ElementParams : PictureParams {
    std::string selector;
};

Task<json::value> screenshot_element(Tab& tab, ElementParams params, Response& response) {
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    auto data = co_await as_result(take(tab, options_of(params), found.element, timeout, response));
    if (!data) co_await not_ready(data.error());
    co_return std::move(*data);
}

constexpr std::string_view kTypeHelp = "Image format. Default png.";
constexpr std::string_view kQualityHelp = "From 0 to 100; not for png.";

json::object picture_schema() {
    return object_schema({{"file", "string"},
                          {"mimeType", "string"},
                          {"width", "integer"},
                          {"height", "integer"},
                          {"fullPage", "boolean"},
                          {"capturedAt", "integer"}});
}

}  // namespace

std::vector<Tool> toolkit_picture_tools(const SessionResolver& sessions) {
    schema::ParamOptions at_least_one{.minimum = 1}, percent{.minimum = 0, .maximum = 100};
    return {
        toolkit_tool<PageParams>(
            sessions,
            {
                .name = "screenshot",
                .title = "Screenshot",
                .description = "A picture of the page, saved to a file and shown.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"fullPage", &PageParams::full_page, "The whole page, not only what is in view."},
                        {"type", &PageParams::type, kTypeHelp},
                        {"quality", &PageParams::quality, kQualityHelp, percent},
                        {"timeout", &PageParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data = picture_schema(),
                .handler = screenshot,
            }),
        toolkit_tool<ElementParams>(
            sessions,
            {
                .name = "screenshot_element",
                .title = "Screenshot of an element",
                .description = "A picture of an element, saved to a file and shown.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"selector", &ElementParams::selector, kSelectorHelp},
                        {"type", &ElementParams::type, kTypeHelp},
                        {"quality", &ElementParams::quality, kQualityHelp, percent},
                        {"timeout", &ElementParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data = picture_schema(),
                .handler = screenshot_element,
            }),
    };
}

}  // namespace tools
