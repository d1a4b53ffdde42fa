// Records a session for Playwright's trace viewer.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/page.h"
#include "session/session.h"

namespace session {

// Writes `<name>.trace`, `.network` and `.stacks` as it goes, with bodies in `resources/` and pictures in
// `screencast/`. Ends when dropped. Lives on the main loop, no longer than its session.
class Trace : public std::enable_shared_from_this<Trace> {
public:
    // `name` is the base name of the files in `directory`.
    static Result<std::shared_ptr<Trace>> create(Session& session, std::filesystem::path directory,
                                                 std::string name);

    const std::filesystem::path& directory() const { return directory_; }
    const std::string& name() const { return name_; }

    // Runs a call and records its arguments, duration, result, and the page before and after. `conceal`
    // removes secret arguments; it runs after the call, since some are only known then.
    using Conceal = std::function<json::value(json::value arguments)>;
    static Task<> record(std::shared_ptr<Trace> trace, std::string tool, json::value arguments, Task<> call,
                         Conceal conceal = {});

private:
    Trace(Session& session, std::filesystem::path directory, std::string name);

    Result<void> begin();
    void watch_tabs();
    void take_picture(const std::string& page, const engine::ScreenPicture& picture);
    Task<> add_document(std::shared_ptr<Tab> tab, std::string call, std::string phase);
    Task<> add_requests(std::shared_ptr<Tab> tab);
    struct KeptBody {
        std::string file = {};  // relative to the trace; empty when there is no body
        std::int64_t size = -1;
    };
    Task<KeptBody> keep_body(std::shared_ptr<Tab> tab, engine::RequestEntry request);
    void add_console(const Tab& tab);
    // Losing a line is better than failing a call.
    void write(std::string_view extension, json::object event);
    double now() const;
    std::int64_t wall_time() const;

    Session& session_;
    std::filesystem::path directory_;
    std::string name_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    int calls_ = 0;
    std::int64_t pictures_ = 0;
    std::map<std::string, std::shared_ptr<void>> watched_;  // by page
    std::set<std::string> requests_;                        // written already, as page and request
    std::map<std::string, std::size_t> console_;            // how many entries of a page are written
};

}  // namespace session
