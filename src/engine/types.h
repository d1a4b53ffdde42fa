// Plain data types of pages and tools.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/json.h"

namespace engine {

struct Point {
    double x = 0;
    double y = 0;
};
struct Size {
    int width = 0;
    int height = 0;

    bool operator==(const Size&) const = default;
};

enum class MouseButton { Left, Right, Middle };
enum class Modifier { Alt, Control, ControlOrMeta, Meta, Shift };
// The language that locators are printed in.
enum class Language { JavaScript, Python, Java, CSharp };

// A message of the page's console, or an error that the page did not catch.
struct ConsoleEntry {
    std::string type;  // log, error, warning, info, debug, assert, dir, table, trace, ...
    std::string text;
    std::string url;
    int line = 0;  // from 0
    int column = 0;
    std::chrono::system_clock::time_point time;
    // For an uncaught error: the stack as the page gave it, or the value that was thrown.
    bool uncaught = false;
    std::string stack;
};

// One request of a page, in its current state.
struct RequestEntry {
    std::string id;  // the browser's own id
    std::string method;
    std::string url;
    std::string resource_type;  // document, script, fetch, ...
    std::vector<std::pair<std::string, std::string>> request_headers;
    std::string post_data;
    bool is_navigation = false;
    std::optional<int> status;
    std::string status_text;
    std::string mime_type;
    std::vector<std::pair<std::string, std::string>> response_headers;
    std::string failure;  // "net::ERR_FAILED"; empty unless it failed
    bool finished = false;
    std::optional<std::chrono::system_clock::time_point> started;
    std::optional<std::chrono::milliseconds> duration;
    bool redirected = false;  // replaced by another request of this list
};

struct Body {
    std::string bytes;
    std::string mime_type;
    bool is_text = true;
};

struct DocumentStatus {
    int status = 0;
    std::string text;

    bool operator==(const DocumentStatus&) const = default;
};

// Something that stops the page until it is answered.
struct Modal {
    enum class Kind { Dialog, FileChooser } kind = Kind::Dialog;
    std::uint64_t number = 0;  // numbered per page, counting up
    std::string dialog_type;   // alert, confirm, prompt, beforeunload
    std::string message;
    bool takes_several_files = false;
};

struct Download {
    std::uint64_t number = 0;
    std::string url;
    std::string suggested_name;
    std::filesystem::path file;  // where the browser writes it
    enum class State { Started, Finished, Failed, Refused } state = State::Started;
};

struct SnapshotOptions {
    std::optional<int> depth;
    bool boxes = false;
};

struct ClickOptions {
    MouseButton button = MouseButton::Left;
    int count = 1;
    std::vector<Modifier> modifiers = {};
    std::chrono::milliseconds delay{};  // between press and release
};

// Storage of a page: per origin, or per tab.
enum class StorageArea { Local, Session };
struct StorageItem {
    std::string name;
    std::string value;

    bool operator==(const StorageItem&) const = default;
};

// Matching requests (by URL and type) are blocked, answered here if there is a status or a body, or sent on
// with other headers.
struct Route {
    std::string pattern;  // a glob for the whole URL: * within a path's part, ** across parts, {a,b}
    std::optional<int> status = {};
    std::optional<std::string> body = {};
    std::optional<std::string> content_type = {};
    std::optional<std::vector<std::pair<std::string, std::string>>> add_headers = {};
    std::optional<std::vector<std::string>> remove_headers = {};
    bool block = false;
    std::vector<std::string> resource_types = {};  // document, image, script, ...; empty: all
    std::vector<std::pair<std::string, std::string>> answer_headers = {};
};

// Network throttling. Speeds are in bytes per second; unset leaves the network unthrottled.
struct Throttling {
    std::optional<double> download = {};
    std::optional<double> upload = {};
    std::chrono::milliseconds latency{};

    bool operator==(const Throttling&) const = default;
};

// Loading progress of a document.
enum class LoadState { DomContentLoaded, Load, NetworkIdle };

// A tool that a page offers to agents (WebMCP). All fields are the page's own claims.
struct PageTool {
    std::string frame = {};        // the engine's id of its frame
    std::string frame_label = {};  // that frame's URL, with a number if several frames share it
    bool in_main_frame = true;
    std::string name = {}, title = {}, description = {};
    json::value input_schema = nullptr;  // null: none was given
    bool read_only = false, untrusted_content = false, consequential = false;

    bool operator==(const PageTool&) const = default;
};

// Events of a tab's main document. Changed is reported only while a watch_changes handle is held.
enum class DocumentEvent { Navigated, Loaded, Crashed, Changed, Logged, Requested };

// A picture of the page at one moment.
struct ScreenPicture {
    std::string jpeg;
    Size size;
};

// A card over the whole page, for viewers.
struct Chapter {
    std::string title;
    std::string description = {};
    std::chrono::milliseconds duration{2'000};
};

// How actions are labelled on the page while they run. Styles are CSS declarations; an empty one shows
// nothing.
struct ActionNotes {
    std::chrono::milliseconds duration{500};
    std::string position = "top-right";
    bool cursor = true;
    std::string point_style = {}, highlight_style = {}, title_style = {};
};

// A frame drawn around an element, for viewers.
struct HighlightOptions {
    std::string label = {};
    std::string style = {};  // CSS declarations
};

struct ScreenshotOptions {
    std::string format = "png";  // png, jpeg, webp
    bool full_page = false;
    bool css_scale = true;  // one picture pixel per CSS pixel, whatever the device
    std::optional<int> quality = {};
    // Scaled down where a model would do so anyway: to 1568 pixels per side and 1.15 * 2^20 in all.
    bool fit = false;
};

struct Screenshot {
    std::string base64;
    Size size;
};

struct MediaOptions {
    // Unset stays unchanged, empty resets to the browser's own.
    std::optional<std::string> media = {};
    std::optional<std::string> color_scheme = {};
    std::optional<std::string> reduced_motion = {};
    std::optional<std::string> forced_colors = {};
    std::optional<std::string> contrast = {};
};

// A user action in a page, or its result.
struct UserEvent {
    enum class Kind {
        Click,
        Check,
        Uncheck,
        Fill,
        Press,
        Select,
        SetFiles,
        Navigated,
        Popup,
        DialogAccepted,
        DialogDismissed,
        Download,
        Lost,  // an action was lost
    };
    Kind kind = Kind::Click;
    std::string locator = {};              // in the requested language, without "page."
    std::string text = {};                 // of a field or prompt; the key; the URL; the popup's page
    std::string secret = {};               // the name of a secret that replaces `text`: PASSWORD
    std::vector<std::string> values = {};  // selected options, file names
    ClickOptions click = {};               // the modifiers also apply to keys
    std::optional<Point> position = {};    // within the element, if it matters
};

// The data dropped on an element: files, and data by MIME type.
struct DropData {
    std::vector<std::filesystem::path> files = {};
    std::map<std::string, std::string> data = {};
};

}  // namespace engine
