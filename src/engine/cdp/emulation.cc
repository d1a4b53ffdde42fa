#include "engine/cdp/emulation.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/cdp/downloads.h"
#include "engine/cdp/refusal.h"
#include "engine/cdp/storage_state.h"

namespace cdp {
namespace {

// The size that a Chromium window on Linux adds around its page.
constexpr engine::Size kWindowFrame{8, 85};

constexpr std::string_view kBlockServiceWorkers =
    "if (navigator.serviceWorker) navigator.serviceWorker.register = async () => "
    "{ console.warn('Service Worker registration blocked by Troupe'); };";

// Headless browsers choose other fonts than headful ones; pages should look the same in both.
json::object desktop_fonts() {
    return {{"fontFamilies", json::object{{"standard", "Times New Roman"},
                                          {"fixed", "Monospace"},
                                          {"serif", "Times New Roman"},
                                          {"sansSerif", "Arial"},
                                          {"cursive", "Comic Sans MS"},
                                          {"fantasy", "Impact"}}}};
}

// The number after `mark`, with at most `parts` parts: "18_7" after "iPhone OS ".
std::string version_after(std::string_view text, std::string_view mark, char separator, int parts) {
    std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return "";
    std::string version;
    for (char c : text.substr(at + mark.size())) {
        bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && (c != separator || version.empty() || --parts == 0)) break;
        version += c;
    }
    if (version.ends_with(separator)) version.pop_back();
    return version;
}

// All pages of a process share one clock and language: a second request for the same one gets an error.
Batch::Explain unless_in_effect(std::string bad_value, std::string message) {
    return [=](Error error) -> std::optional<Error> {
        if (error.message.find("already in effect") != std::string::npos) return {};
        if (error.message.find(bad_value) != std::string::npos)
            return Error{.code = ErrorCode::InvalidArgument, .message = message, .details = error.message};
        return error;
    };
}

}  // namespace

json::object user_agent_metadata(std::string_view user_agent, bool is_mobile) {
    struct Platform {
        std::string_view name;
        std::string_view mark;
        char separator;
        int parts;
        std::string_view architecture;
    };
    static constexpr Platform kPlatforms[] = {
        {"Android", "Android ", '.', 3, "arm"},    {"iOS", "iPhone OS ", '_', 2, "arm"},
        {"iOS", "iPad; CPU OS ", '_', 2, "arm"},   {"macOS", "Mac OS X ", '_', 3, "arm"},
        {"Windows", "Windows NT ", '.', 3, "x86"}, {"Windows", "Windows Phone ", '.', 3, "x86"},
    };
    auto contains = [&](std::string_view part) { return user_agent.find(part) != std::string_view::npos; };
    std::string platform = contains("Linux") || contains("linux") ? "Linux" : "Windows";
    std::string architecture = "x86";
    std::string version;
    for (const Platform& each : kPlatforms) {
        version = version_after(user_agent, each.mark, each.separator, each.parts);
        if (version.empty()) continue;
        platform = each.name;
        architecture = each.architecture;
        break;
    }
    if (platform == "macOS" && contains("Intel")) architecture = "x86";
    if (contains("ARM")) architecture = "arm";
    return {{"mobile", is_mobile},
            {"model", ""},
            {"architecture", architecture},
            {"platform", platform},
            {"platformVersion", version}};
}

Emulation::Emulation(const engine::ContextOptions& options, Headless headless, Owner owner)
    : fits_window_(headless == Headless::No && owner == Owner::Us),
      viewport_(options.viewport),
      screen_(options.screen ? options.screen : options.viewport),
      device_scale_factor_(options.device_scale_factor),
      is_mobile_(options.is_mobile),
      media_{.media = "",
             .color_scheme = options.color_scheme,
             .reduced_motion = options.reduced_motion,
             .forced_colors = options.forced_colors,
             .contrast = options.contrast} {
    auto add = [this](std::string method, json::object params) {
        commands_.emplace_back(std::move(method), std::move(params));
    };
    if (options.bypass_csp) add("Page.setBypassCSP", {{"enabled", true}});
    if (options.ignore_https_errors) add("Security.setIgnoreCertificateErrors", {{"ignore", true}});
    if (options.has_touch) add("Emulation.setTouchEmulationEnabled", {{"enabled", true}});
    if (!options.java_script_enabled) add("Emulation.setScriptExecutionDisabled", {{"value", true}});
    if (!options.user_agent.empty() || !options.locale.empty()) {
        json::object params{{"userAgent", options.user_agent}};
        if (!options.locale.empty()) params["acceptLanguage"] = options.locale;
        if (!options.user_agent.empty())
            params["userAgentMetadata"] = user_agent_metadata(options.user_agent, options.is_mobile);
        add("Emulation.setUserAgentOverride", std::move(params));
    }
    if (!options.locale.empty()) add("Emulation.setLocaleOverride", {{"locale", options.locale}});
    if (!options.timezone.empty()) add("Emulation.setTimezoneOverride", {{"timezoneId", options.timezone}});
    if (headless == Headless::Yes && owner == Owner::Us) add("Page.setFontFamilies", desktop_fonts());
    if (const json::object* place = options.geolocation.if_object()) {
        json::object params = *place;
        if (!params.contains("accuracy")) params["accuracy"] = 0;
        add("Emulation.setGeolocationOverride", std::move(params));
    }
    if (options.block_service_workers) {
        add("Page.addScriptToEvaluateOnNewDocument",
            {{"source", kBlockServiceWorkers}, {"runImmediately", true}});
    }
}

Batch Emulation::attach(const std::shared_ptr<Session>& session, SessionKind kind) {
    Batch batch;
    if (kind == SessionKind::Worker || kind == SessionKind::ServiceWorker) return batch;
    if (kind == SessionKind::Page) {
        page_ = session;
        batch.add(session->begin("Emulation.setFocusEmulationEnabled", {{"enabled", true}}));
        if (viewport_) batch.add(session->begin("Emulation.setDeviceMetricsOverride", metrics()));
    } else {
        std::erase_if(frames_, [](const auto& frame) { return frame.expired(); });
        frames_.push_back(session);
    }
    for (const auto& [method, params] : commands_) {
        Batch::Explain explain;
        if (method == "Emulation.setTimezoneOverride") {
            std::string zone(params.at("timezoneId").as_string());
            explain = unless_in_effect("Invalid timezone", "Invalid timezone ID: " + zone);
        } else if (method == "Emulation.setLocaleOverride") {
            std::string locale(params.at("locale").as_string());
            explain = unless_in_effect("Invalid locale", "Invalid locale: " + locale);
        }
        batch.add(session->begin(method, params), std::move(explain));
    }
    json::object wanted = media();
    auto is_set = [](const json::value& feature) { return !feature.at("value").as_string().empty(); };
    const json::array& features = wanted.at("features").as_array();
    if (!wanted.at("media").as_string().empty() || std::any_of(features.begin(), features.end(), is_set))
        batch.add(session->begin("Emulation.setEmulatedMedia", wanted));
    return batch;
}

json::object Emulation::metrics() const {
    bool wide = screen_->width > screen_->height;
    bool turned = is_mobile_ && wide;
    return {{"mobile", is_mobile_},
            {"width", viewport_->width},
            {"height", viewport_->height},
            {"screenWidth", screen_->width},
            {"screenHeight", screen_->height},
            {"deviceScaleFactor", device_scale_factor()},
            {"screenOrientation",
             json::object{{"angle", turned ? 90 : 0},
                          {"type", is_mobile_ && !wide ? "portraitPrimary" : "landscapePrimary"}}}};
}

json::object Emulation::media() const {
    auto feature = [](std::string_view name, const std::optional<std::string>& value) {
        return json::object{{"name", name}, {"value", value.value_or("")}};
    };
    return {{"media", media_.media.value_or("")},
            {"features", json::array{feature("prefers-color-scheme", media_.color_scheme),
                                     feature("prefers-reduced-motion", media_.reduced_motion),
                                     feature("forced-colors", media_.forced_colors),
                                     feature("prefers-contrast", media_.contrast)}}};
}

Task<> Emulation::fit_window() {
    if (!fits_window_ || !viewport_ || !page_) co_return;
    auto window = co_await as_result(page_->send("Browser.getWindowForTarget"));
    // A page without a window of its own has nothing to resize.
    if (!window) co_return;
    Batch batch;
    batch.add(page_->begin("Browser.setWindowBounds",
                           {{"windowId", window->at("windowId")},
                            {"bounds", json::object{{"width", viewport_->width + kWindowFrame.width},
                                                    {"height", viewport_->height + kWindowFrame.height}}}}));
    // Otherwise the window's own size would win.
    batch.add(page_->begin("Emulation.setDeviceMetricsOverride", metrics()));
    co_await Batch::finish(std::move(batch));
}

Task<> Emulation::resize(engine::Size viewport) {
    auto before = std::pair(std::exchange(viewport_, viewport), std::exchange(screen_, viewport));
    Pending answer = page_->begin("Emulation.setDeviceMetricsOverride", metrics());
    Result<json::value> taken = co_await answer;
    if (!taken) {
        std::tie(viewport_, screen_) = before;
        co_await as_refusal(std::move(taken).error());
    }
    co_await fit_window();
}

Task<> Emulation::emulate_media(engine::MediaOptions changes) {
    auto take = [&](std::optional<std::string> engine::MediaOptions::* member) {
        if (changes.*member) media_.*member = changes.*member;
    };
    take(&engine::MediaOptions::media);
    take(&engine::MediaOptions::color_scheme);
    take(&engine::MediaOptions::reduced_motion);
    take(&engine::MediaOptions::forced_colors);
    take(&engine::MediaOptions::contrast);
    Batch batch;
    batch.add(page_->begin("Emulation.setEmulatedMedia", media()));
    for (const auto& weak : frames_) {
        // Ignore a frame that is removed meanwhile.
        if (auto frame = weak.lock())
            batch.add(frame->begin("Emulation.setEmulatedMedia", media()),
                      [](Error) { return std::optional<Error>(); });
    }
    co_await Batch::finish(std::move(batch));
}

Result<std::vector<std::string>> permission_names(const std::string& permission) {
    static const std::map<std::string_view, std::vector<std::string>> kNames = {
        {"geolocation", {"geolocation"}},
        {"midi", {"midi"}},
        {"midi-sysex", {"midiSysex"}},
        {"notifications", {"notifications"}},
        {"camera", {"videoCapture"}},
        {"microphone", {"audioCapture"}},
        {"background-sync", {"backgroundSync"}},
        {"ambient-light-sensor", {"sensors"}},
        {"accelerometer", {"sensors"}},
        {"gyroscope", {"sensors"}},
        {"magnetometer", {"sensors"}},
        {"clipboard-read", {"clipboardReadWrite"}},
        {"clipboard-write", {"clipboardSanitizedWrite"}},
        {"payment-handler", {"paymentHandler"}},
        {"storage-access", {"storageAccess"}},
        {"local-fonts", {"localFonts"}},
        {"local-network-access", {"localNetworkAccess", "localNetwork", "loopbackNetwork"}},
        {"screen-wake-lock", {"wakeLockScreen"}},
    };
    if (auto it = kNames.find(permission); it != kNames.end()) return it->second;
    std::string known;
    for (const auto& [name, ignored] : kNames) known += (known.empty() ? "" : ", ") + std::string(name);
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "Unknown permission: " + permission,
                 .hint = "Known are " + known + "."};
}

Task<> prepare_context(std::shared_ptr<Session> browser, std::string context,
                       const engine::ContextOptions& options, Owner owner) {
    Batch batch;
    if (owner == Owner::User)
        batch.add(begin_download_events(*browser));
    else if (!options.download_directory.empty())
        batch.add(begin_download_setup(
            *browser, context,
            options.accept_downloads ? options.download_directory : std::filesystem::path()));
    if (!options.permissions.empty()) {
        json::object params{{"permissions", json::array()}};
        if (!context.empty()) params["browserContextId"] = context;
        for (const std::string& permission : options.permissions) {
            for (const std::string& name : co_await permission_names(permission))
                params["permissions"].as_array().emplace_back(name);
        }
        batch.add(browser->begin("Browser.grantPermissions", params));
    }
    co_await Batch::finish(std::move(batch));
    if (options.storage_state.is_object()) co_await restore_cookies(browser, context, options.storage_state);
}

}  // namespace cdp
