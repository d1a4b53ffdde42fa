#include <algorithm>
#include <array>
#include <cmath>

#include "tools/browser_tools.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace tools {
namespace {

Task<> close(Session& session, schema::NoParams, Response& response) {
    if (session.options().shared_context) {
        co_await Error{.code = ErrorCode::PolicyDenied,
                       .message = "The browser context is shared between clients and cannot be closed."};
    }
    response.add_text(join(to_lines({}), "\n"));
    response.add_code("await page.close()");
    response.close_browser();
}

struct ResizeParams {
    double width = 0;
    double height = 0;
};

Result<int> whole_pixels(std::string_view name, double given) {
    // The browser refuses what is too large.
    if (given == std::floor(given)) return static_cast<int>(std::clamp(given, -1e9, 1e9));
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "page.setViewportSize: viewportSize." + std::string(name) +
                            ": expected integer, got float " + to_javascript(given)};
}

Task<> resize(Tab& tab, ResizeParams params, Response& response) {
    response.add_code("await page.setViewportSize({ width: " + to_javascript(params.width) +
                      ", height: " + to_javascript(params.height) + " });");
    int width = co_await whole_pixels("width", params.width);
    int height = co_await whole_pixels("height", params.height);
    co_await tab.run(tab.action("page.setViewportSize"),
                     tab.page().resize({width, height}, tab.action_deadline()));
}

struct EmulateMediaParams {
    std::optional<std::string> color_scheme;
    std::optional<std::string> reduced_motion;
    std::optional<std::string> forced_colors;
    std::optional<std::string> contrast;
    std::optional<std::string> media;
};

// A choice of names. Null is accepted as well and restores the browser's default; it is not listed, because
// many clients cannot offer a model two types for one argument.
schema::ParamOptions name_or_null(std::initializer_list<std::string_view> names) {
    return {.choices = {names.begin(), names.end()}};
}

Task<> emulate_media(Tab& tab, EmulateMediaParams params, Response& response) {
    json::object shown;
    // Params treat null as an argument that was left out; here null has a meaning.
    auto take = [&](std::string_view name, std::optional<std::string>& value) {
        const json::value* given = json::find(response.arguments(), name);
        if (!given) return;
        shown[name] = *given;
        if (given->is_null()) value = "";
    };
    take("colorScheme", params.color_scheme);
    take("reducedMotion", params.reduced_motion);
    take("forcedColors", params.forced_colors);
    take("contrast", params.contrast);
    take("media", params.media);
    if (shown.empty()) {
        response.add_error("Error: Specify at least one media feature to emulate.");
        co_return;
    }
    response.add_code("await page.emulateMedia(" + to_javascript(shown, Layout::OneLine) + ");");
    engine::MediaOptions options{
        .media = params.media,
        .color_scheme = params.color_scheme,
        .reduced_motion = params.reduced_motion,
        .forced_colors = params.forced_colors,
        .contrast = params.contrast,
    };
    co_await tab.run(tab.action("page.emulateMedia"),
                     tab.page().emulate_media(options, tab.action_deadline()));
}

}  // namespace

std::vector<Tool> common_tools(const SessionResolver& sessions) {
    return {
        session_tool<schema::NoParams>(
            sessions,
            {
                .name = "browser_close",
                .title = "Close browser",
                .description = "Close all tabs and the browser; the next call starts anew.",
                .handler = close,
            }),
        tab_tool<ResizeParams>(sessions,
                               {
                                   .name = "browser_resize",
                                   .title = "Resize browser window",
                                   .description = "Give the page another size.",
                                   .scope = Scope::Session,
                                   .params =
                                       {
                                           {"width", &ResizeParams::width, "In CSS pixels."},
                                           {"height", &ResizeParams::height, "In CSS pixels."},
                                       },
                                   .handler = resize,
                               }),
        tab_tool<EmulateMediaParams>(
            sessions,
            {
                .name = "browser_emulate_media",
                .title = "Emulate media features",
                .description = "Show the page as for other CSS media, such as a dark color scheme. Null ends "
                               "an emulation.",
                .params =
                    {
                        {"colorScheme", &EmulateMediaParams::color_scheme, "prefers-color-scheme",
                         name_or_null({"light", "dark"})},
                        {"reducedMotion", &EmulateMediaParams::reduced_motion, "prefers-reduced-motion",
                         name_or_null({"reduce", "no-preference"})},
                        {"forcedColors", &EmulateMediaParams::forced_colors, "forced-colors",
                         name_or_null({"active", "none"})},
                        {"contrast", &EmulateMediaParams::contrast, "prefers-contrast",
                         name_or_null({"more", "no-preference"})},
                        {"media", &EmulateMediaParams::media, "CSS media type",
                         name_or_null({"screen", "print"})},
                    },
                .handler = emulate_media,
            }),
    };
}

}  // namespace tools
