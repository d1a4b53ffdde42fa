// Making a page believe what its context's options say.
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
// Whose window it is. A user's keeps its size and its fonts.
enum class Owner { Us, User };

// The device, place and taste of one page: screen, user agent, language, clock, position, media. What
// concerns the network is NetworkLog's, init scripts are the page's. Lives on the main loop.
class Emulation {
public:
    Emulation(const engine::ContextOptions& options, Headless headless, Owner owner = Owner::Us);
    Emulation(const Emulation&) = delete;

    // Sends everything for a session that has not begun to run. Send Runtime.runIfWaitingForDebugger before
    // waiting for the answers: some come only then.
    Batch attach(const std::shared_ptr<Session>& session, SessionKind kind);
    // Gives a window that people see the size of the viewport. After the page runs.
    Task<> fit_window();

    Task<> resize(engine::Size viewport);
    Task<> emulate_media(engine::MediaOptions changes);

    // Nothing: as large as the window.
    const std::optional<engine::Size>& viewport() const { return viewport_; }
    const engine::MediaOptions& media_options() const { return media_; }
    // One where nothing is emulated.
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
    // What never changes, in the order it is sent: to every session of the page.
    std::vector<std::pair<std::string, json::object>> commands_;
    std::shared_ptr<Session> page_;
    std::vector<std::weak_ptr<Session>> frames_;
};

// Applies what concerns a whole context: downloads, permissions, cookies. `context` is empty for the
// browser's default one.
Task<> prepare_context(std::shared_ptr<Session> browser, std::string context,
                       const engine::ContextOptions& options, Owner owner = Owner::Us);

// What Sec-CH-UA and navigator.userAgentData say to go with a user agent.
json::object user_agent_metadata(std::string_view user_agent, bool is_mobile);
// The browser's names for a permission of the web: "camera" is videoCapture.
Result<std::vector<std::string>> permission_names(const std::string& permission);

}  // namespace cdp
