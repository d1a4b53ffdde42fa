// A record of what a session does that Playwright's trace viewer opens.
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
    // `name` is that of the files, in `directory`.
    static Result<std::shared_ptr<Trace>> create(Session& session, std::filesystem::path directory,
                                                 std::string name);

    const std::filesystem::path& directory() const { return directory_; }
    const std::string& name() const { return name_; }

    // Runs a call and records it: what it was given, how long it took, how it ended, and the page before and
    // after. What may not be written of its arguments is known after some calls: `conceal` takes it out.
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
    Task<std::string> keep_body(std::shared_ptr<Tab> tab, engine::RequestEntry request);
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
