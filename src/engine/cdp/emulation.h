// Emulates a context's options in its pages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/batch.h"
#include "engine/cdp/connection.h"
#include "engine/cdp/session_kind.h"

namespace cdp {

enum class Headless { No, Yes };
// The owner of the window. A user's window keeps its size and its fonts.
enum class Owner { Us, User };

// The emulation settings of one page: screen, user agent, language, clock, geolocation, media. NetworkLog
// applies the network options, the page its init scripts. Lives on the main loop.
class Emulation {
public:
    Emulation(const engine::ContextOptions& options, Headless headless, Owner owner = Owner::Us);
    Emulation(const Emulation&) = delete;

    // Sends all settings to a session that has not run yet. Send Runtime.runIfWaitingForDebugger before
    // awaiting the answers: some arrive only then.
    Batch attach(const std::shared_ptr<Session>& session, SessionKind kind);
    // Resizes a visible window to fit the viewport. Call after the page runs.
    Task<> fit_window();

    Task<> resize(engine::Size viewport);
    Task<> emulate_media(engine::MediaOptions changes);

    // Nothing: the viewport follows the window.
    const std::optional<engine::Size>& viewport() const { return viewport_; }
    const engine::MediaOptions& media_options() const { return media_; }
    // 1 if not emulated.
    double device_scale_factor() const { return device_scale_factor_.value_or(1); }

private:
    json::object metrics() const;
    json::object media() const;

    bool fits_window_;
    std::optional<engine::Size> viewport_;
    std::optional<engine::Size> screen_;
    std::optional<double> device_scale_factor_;
    bool is_mobile_;
    engine::MediaOptions media_;
    // Constant commands, in sending order, for every session of the page.
    std::vector<std::pair<std::string, json::object>> commands_;
    std::shared_ptr<Session> page_;
    std::vector<std::weak_ptr<Session>> frames_;
};

// Applies the context-wide options: downloads, permissions, cookies. `context` is empty for the browser's
// default one.
Task<> prepare_context(std::shared_ptr<Session> browser, std::string context,
                       const engine::ContextOptions& options, Owner owner = Owner::Us);

// The values of Sec-CH-UA and navigator.userAgentData that match a user agent.
json::object user_agent_metadata(std::string_view user_agent, bool is_mobile);
// The browser's names for a web permission: "camera" is videoCapture.
Result<std::vector<std::string>> permission_names(const std::string& permission);

}  // namespace cdp
