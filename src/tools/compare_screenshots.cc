// Compares the page with an earlier picture of it.
#include <cmath>

#include "image/difference.h"
#include "image/png.h"
#include "tools/history.h"
#include "tools/screenshot_limit.h"
#include "tools/toolkit.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"
#include "util/worker.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

// Zero, because a changed headline is less than a thousandth of a page.
constexpr double kDefaultThreshold = 0;
constexpr double kDefaultTolerance = 0.1;
constexpr int kMaxMatches = 1000;  // elements that one mask hides
// Models see a picture at no more than this size.
constexpr int kModelSide = 1568;
constexpr double kModelPixels = 1.15 * 1024 * 1024;

struct CompareParams {
    std::string baseline;
    std::optional<std::string> selector;
    std::optional<bool> full_page;
    std::optional<double> threshold, tolerance;
    std::optional<json::array> masks;
    std::optional<bool> update;
    std::optional<int> timeout;
};

// The picture to compare the page with, and its source.
struct Baseline {
    std::string png = {};
    fs::path file = {};    // empty: the record
    bool missing = false;  // the file is to be written
};

Result<Baseline> read_baseline_file(const Session& session, const CompareParams& params) {
    Baseline baseline{.file = TRY(session.workspace().resolve(params.baseline))};
    auto found = session.workspace().find(baseline.file);
    if (!found) {
        baseline.missing = true;
        if (params.update.value_or(false)) return baseline;
        return Error{.code = ErrorCode::NotFound,
                     .message = "There is no baseline " + session.workspace().printable(baseline.file) + ".",
                     .hint = "With update: true the page as it is becomes the baseline."};
    }
    if (!found->is_file || found->size > image::kMaxBytes) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = params.baseline + " is no file of at most " +
                                std::to_string(image::kMaxBytes) + " bytes."};
    }
    baseline.png = TRY(session.workspace().read(baseline.file));
    return baseline;
}

Task<engine::Screenshot> take(Tab& tab, engine::ScreenshotOptions options,
                              std::shared_ptr<engine::Element> element, Timeout timeout) {
    auto taken = co_await as_result(
        value_of(tab, run_as(timeout.operation(element ? "locator.screenshot" : "page.screenshot"),
                             tab.page().screenshot(options, element, timeout.deadline))));
    if (!taken) co_await not_ready(taken.error());
    co_await check_screenshot(tab.session(), *taken);
    co_return std::move(*taken);
}

struct Corner {
    double x = 0;
    double y = 0;
};

double number(const json::object& from, std::string_view name) {
    const json::value* value = json::find(from, name);
    return value && value->is_number() ? value->to_number<double>() : 0;
}

// The box rounded outwards to whole pixels.
image::Box enclosing(const json::object& box, Corner corner) {
    auto whole = [](double value) { return static_cast<int>(std::clamp(value, -1e6, 1e6)); };
    int left = whole(std::floor(number(box, "x") - corner.x)),
        top = whole(std::floor(number(box, "y") - corner.y));
    return {left, top, whole(std::ceil(number(box, "x") + number(box, "width") - corner.x)) - left,
            whole(std::ceil(number(box, "y") + number(box, "height") - corner.y)) - top};
}

// The viewport position of the picture's first pixel.
Task<Corner> corner_of(Tab& tab, const CompareParams& params) {
    if (params.selector) {
        json::value element = co_await read_now(tab, "first", *params.selector);
        const json::object* facts = element.if_object();
        const json::object* box = facts ? json::find_object(*facts, "box") : nullptr;
        co_return box ? Corner{std::floor(number(*box, "x")), std::floor(number(*box, "y"))} : Corner{};
    }
    if (!params.full_page.value_or(false)) co_return Corner{};
    json::value scrolled = co_await read_now(tab, "scroll", "");
    co_return scrolled.is_object()
        ? Corner{-number(scrolled.get_object(), "x"), -number(scrolled.get_object(), "y")}
        : Corner{};
}

// Boxes are given in the picture's own pixels; elements are located on the page.
Task<std::vector<image::Box>> find_masks(Tab& tab, const CompareParams& params) {
    std::vector<image::Box> masks;
    if (!params.masks || params.masks->empty()) co_return masks;
    Corner corner = co_await corner_of(tab, params);
    for (const json::value& mask : *params.masks) {
        if (mask.is_object()) {
            masks.push_back(enclosing(mask.get_object(), {}));
            continue;
        }
        if (!mask.is_string()) {
            co_await Error{.code = ErrorCode::InvalidArgument,
                           .message = "A mask is a selector or a box {x, y, width, height}."};
        }
        json::value matches = co_await read_now(tab, "elements", std::string(mask.get_string()),
                                                {{"limit", kMaxMatches}, {"clip", true}});
        const json::array* elements =
            matches.is_object() ? json::find_array(matches.get_object(), "elements") : nullptr;
        for (const json::value& element : elements ? *elements : json::array()) {
            if (const json::object* box = json::find_object(element.as_object(), "box"))
                masks.push_back(enclosing(*box, corner));
        }
    }
    co_return masks;
}

// The result of a worker's comparison of two pictures.
struct Compared {
    image::Difference difference;
    engine::Size before, after;
    std::string marked;     // PNG
    std::string for_model;  // the same, or smaller
};

Result<Compared> compare_pictures(const std::string& before_png, const std::string& after_png,
                                  const image::CompareOptions& options) {
    auto before = image::decode_png(before_png);
    if (!before) {
        before.error().message = "The baseline cannot be used. " + before.error().message;
        return before.error();
    }
    image::Bitmap after = TRY(image::decode_png(after_png));
    Compared compared{.difference = image::compare(*before, after, options),
                      .before = {before->width, before->height},
                      .after = {after.width, after.height}};
    compared.marked = TRY(image::encode_png(compared.difference.marked));
    compared.for_model = TRY(
        image::encode_png(image::fitted(std::move(compared.difference.marked), kModelSide, kModelPixels)));
    return compared;
}

Task<Compared> compare_on_worker(std::shared_ptr<Workers> workers, Tab& tab, std::string before,
                                 std::string after, image::CompareOptions options) {
    (void)tab.deadline();  // large pictures take longer
    return Workers::run<Compared>(
        std::move(workers), tab.session().loop(),
        [before = std::move(before), after = std::move(after), options = std::move(options)] {
            return compare_pictures(before, after, options);
        });
}

json::object to_json(engine::Size size) { return {{"width", size.width}, {"height", size.height}}; }

json::object describe(const Compared& compared, const CompareParams& params, std::size_t masks) {
    double percent = compared.difference.percent(), threshold = params.threshold.value_or(kDefaultThreshold);
    bool same_size = compared.before == compared.after;
    json::array regions;
    for (const image::Box& box : compared.difference.regions)
        regions.push_back(
            json::object{{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}});
    return {{"passes", same_size && percent <= threshold},
            {"percent", std::round(percent * 10'000) / 10'000},
            {"threshold", threshold},
            {"differingPixels", compared.difference.differing},
            {"comparedPixels", compared.difference.compared},
            {"sameSize", same_size},
            {"baseline", to_json(compared.before)},
            {"current", to_json(compared.after)},
            {"masks", masks},
            {"regions", std::move(regions)}};
}

Task<json::value> write_baseline(const CompareParams& params, engine::Screenshot taken, Response& response) {
    OutputFile file =
        co_await response.output_file({.prefix = "", .extension = "", .given = params.baseline});
    co_await response.write(file, co_await base64_decode(taken.base64));
    response.add_image({std::move(taken.base64), "image/png"});
    co_return json::object{
        {"passes", true}, {"baselineWritten", true}, {"file", file.shown}, {"current", to_json(taken.size)}};
}

Task<json::value> compare(std::shared_ptr<Workers> workers, Tab& tab, CompareParams params,
                          std::optional<Baseline> recorded, Response& response) {
    if (params.selector && params.full_page.value_or(false)) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "fullPage cannot be used with a selector."};
    }
    Baseline baseline;
    if (recorded)
        baseline = std::move(*recorded);
    else
        baseline = co_await read_baseline_file(tab.session(), params);
    Timeout timeout(tab, params.timeout);
    std::shared_ptr<engine::Element> element;
    if (params.selector) element = (co_await wait_for_element(tab, *params.selector, timeout)).element;
    engine::ScreenshotOptions options{.full_page = params.full_page.value_or(false)};
    engine::Screenshot taken = co_await take(tab, options, element, timeout);
    if (baseline.missing) co_return co_await write_baseline(params, std::move(taken), response);

    image::CompareOptions how{.tolerance = params.tolerance.value_or(kDefaultTolerance),
                              .masks = co_await find_masks(tab, params)};
    Compared compared =
        co_await compare_on_worker(workers, tab, baseline.png, co_await base64_decode(taken.base64), how);
    // The record keeps a large picture at the size that models see.
    if (baseline.file.empty() && compared.before != compared.after && how.masks.empty()) {
        options.fit = true;
        taken = co_await take(tab, options, element, timeout);
        compared =
            co_await compare_on_worker(workers, tab, baseline.png, co_await base64_decode(taken.base64), how);
    }
    OutputFile file = co_await response.output_file({.prefix = "difference", .extension = "png"});
    co_await response.write(file, compared.marked);
    response.add_image({base64_encode(compared.for_model), "image/png"});
    json::object answer = describe(compared, params, how.masks.size());
    answer["file"] = file.shown;
    co_return answer;
}

Task<ToolResult> run_compare(SessionResolver sessions, HistoryCatalog history,
                             std::shared_ptr<Workers> workers,
                             std::shared_ptr<const ToolkitLiteral<CompareParams>> literal, Call call) {
    std::vector<std::string> foreign;
    Result<CompareParams> params = literal->params.decode(call.arguments, nullptr, &foreign);
    if (!params) co_return refuse_arguments(params.error());
    std::optional<Baseline> recorded;
    if (is_uuid(params->baseline)) {
        auto png = co_await as_result(
            read_picture(history, history.store ? history.identify(call.client.caller()) : RecordIdentity{},
                         params->baseline));
        if (!png) co_return refuse_arguments(png.error());
        recorded = Baseline{.png = std::move(*png)};
    }
    ToolResult result =
        co_await run_toolkit(sessions, run_of(*literal), call, [&](Tab& tab, Response& response) {
            return compare(workers, tab, std::move(*params), std::move(recorded), response);
        });
    note_foreign(result, std::move(foreign));
    co_return result;
}

}  // namespace

std::vector<Tool> compare_tools(const SessionResolver& sessions, const HistoryCatalog& history) {
    schema::ParamOptions percent{.minimum = 0, .maximum = 100}, share{.minimum = 0, .maximum = 1},
        at_least_one{.minimum = 1};
    ToolkitLiteral<CompareParams> literal{
        .name = "compare_screenshots",
        .title = "Compare screenshots",
        .description =
            "Compare the page with an earlier picture of it: how much differs, where, and a picture that "
            "marks it.",
        .effect = Effect::ReadsPage,
        .params =
            {
                {"baseline", &CompareParams::baseline,
                 "PNG to compare with: a file, or the ref_id of a call that took a screenshot."},
                {"selector", &CompareParams::selector, "Only this element. The first match counts."},
                {"fullPage", &CompareParams::full_page, "The whole page, not only what is in view."},
                {"threshold", &CompareParams::threshold, "Percent of the pixels that may differ. Default 0.",
                 percent},
                {"tolerance", &CompareParams::tolerance,
                 "How far off a pixel's colour may be, from 0 to 1. Default 0.1.", share},
                {"masks", &CompareParams::masks,
                 "Parts to leave out: selectors, or boxes {x, y, width, height} in the picture's pixels."},
                {"update", &CompareParams::update, "Where the baseline file is missing, write it."},
                {"timeout", &CompareParams::timeout, kTimeoutHelp, at_least_one},
            },
        .data = object_schema({{"passes", "boolean"},
                               {"percent", "number"},
                               {"threshold", "number"},
                               {"differingPixels", "integer"},
                               {"comparedPixels", "integer"},
                               {"sameSize", "boolean"},
                               {"baseline", "object"},
                               {"current", "object"},
                               {"masks", "integer"},
                               {"regions", "array"},
                               {"file", "string"},
                               {"baselineWritten", "boolean"}}),
        .handler = {},
    };
    auto shared = std::make_shared<const ToolkitLiteral<CompareParams>>(literal);
    Tool tool = toolkit_tool<CompareParams>(sessions, std::move(literal));
    // A comparison takes a core for a second, so more at once would only slow each other down.
    auto workers = std::make_shared<Workers>(std::max(1U, std::thread::hardware_concurrency()));
    // The record that a call reads depends on its caller.
    tool.run = [sessions, history, workers, shared](Call call) {
        return run_compare(sessions, history, workers, shared, call);
    };
    return {std::move(tool)};
}

}  // namespace tools
