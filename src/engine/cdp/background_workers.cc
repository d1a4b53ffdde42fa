#include "engine/cdp/background_workers.h"

#include "engine/cdp/fields.h"

namespace cdp {

bool BackgroundWorkers::take(const AutoAttach::Target& target) {
    std::string context = text_of(target.info, "browserContextId");
    std::string id = text_of(target.info, "targetId");
    auto limit = limit_(context);
    if (!limit) return false;
    // Entries of closed contexts are removed beyond this size.
    constexpr std::size_t kMany = 100;
    if (running_.size() > kMany)
        std::erase_if(running_, [&](const auto& each) { return !limit_(each.first); });
    auto& running = running_[context];
    // The browser reports a service worker twice, and again when it restarts.
    if (running.contains(id)) return false;
    if (running.size() < *limit) {
        running.insert(std::move(id));
        return false;
    }
    looking_.remove_if([](const Running& each) { return each.done(); });
    looking_.push_back(start(look_again(std::move(context), std::move(id), target.parent, target.session),
                             [](Result<void>) {}));
    return true;
}

Task<> BackgroundWorkers::look_again(std::string context, std::string target, std::shared_ptr<Session> parent,
                                     std::shared_ptr<Session> session) {
    auto connection = connection_.lock();
    if (!connection) co_return;
    auto answer = co_await as_result(connection->browser()->send("Target.getTargets"));
    std::set<std::string> there;
    const json::array* infos = answer ? json::find_array(answer->as_object(), "targetInfos") : nullptr;
    for (const json::value& info : infos ? *infos : json::array{}) {
        if (info.is_object() && is_one(text_of(info.get_object(), "type")))
            there.insert(text_of(info.get_object(), "targetId"));
    }
    auto& running = running_[context];
    if (infos) std::erase_if(running, [&](const std::string& each) { return !there.contains(each); });
    auto limit = limit_(context);
    if (!limit || running.size() < *limit) {
        running.insert(target);
        // A shared worker answers only once its script has loaded; detaching earlier would leave it paused.
        (void)co_await as_result(session->send("Runtime.runIfWaitingForDebugger"));
        parent->post("Target.detachFromTarget", {{"sessionId", session->id()}});
        co_return;
    }
    refused_(context);
    connection->browser()->post("Target.closeTarget", {{"targetId", target}});
}

}  // namespace cdp
