// Limits how many shared and service workers a context runs.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/cdp/auto_attach.h"

namespace cdp {

// Resumes workers within their context's limit and ends the others. They run unattached (a service worker
// with a debugger never stops by itself), so the browser is asked which still run when there may be too many.
// Lives on the main loop.
class BackgroundWorkers {
public:
    // The max number of workers of a context; nothing: no limit.
    using Limit = std::function<std::optional<std::size_t>(const std::string& context)>;
    // Called for each worker that was ended.
    using Refused = std::function<void(const std::string& context)>;

    BackgroundWorkers(const std::shared_ptr<Connection>& connection, Limit limit, Refused refused)
        : connection_(connection), limit_(std::move(limit)), refused_(std::move(refused)) {}
    BackgroundWorkers(const BackgroundWorkers&) = delete;

    static bool is_one(std::string_view type) { return type == "shared_worker" || type == "service_worker"; }
    // Takes a paused target over the limit; returns false if it may run unattached.
    bool take(const AutoAttach::Target& target);

private:
    Task<> look_again(std::string context, std::string target, std::shared_ptr<Session> parent,
                      std::shared_ptr<Session> session);

    std::weak_ptr<Connection> connection_;
    Limit limit_;
    Refused refused_;
    std::map<std::string, std::set<std::string>>
        running_;  // target ids by context, some of which may have ended
    std::list<Running> looking_;
};

}  // namespace cdp
