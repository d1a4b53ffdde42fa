#include "engine/cdp/auto_attach.h"

#include "engine/cdp/fields.h"

namespace cdp {
namespace {

// A shared worker answers only once its script has loaded; detaching earlier would leave it paused.
Task<> resume_and_detach(std::shared_ptr<Session> parent, std::shared_ptr<Session> session) {
    (void)co_await as_result(session->send("Runtime.runIfWaitingForDebugger"));
    parent->post("Target.detachFromTarget", {{"sessionId", session->id()}});
}

}  // namespace

Pending AutoAttach::watch(const std::shared_ptr<Session>& session) {
    listen(session);
    return session->begin("Target.setAutoAttach",
                          {{"autoAttach", true}, {"waitForDebuggerOnStart", true}, {"flatten", true}});
}

void AutoAttach::listen(const std::shared_ptr<Session>& session) {
    std::erase_if(watched_, [](const Watched& each) { return each.session->is_closed(); });
    watched_.push_back({session, session->on("Target.attachedToTarget", [this, weak = std::weak_ptr(session)](
                                                                            const json::object& params) {
                            if (auto parent = weak.lock()) attached(parent, params);
                        })});
}

void AutoAttach::attached(const std::shared_ptr<Session>& parent, const json::object& params) {
    const json::object* info = json::find_object(params, "targetInfo");
    std::string id = text_of(params, "sessionId");
    auto connection = connection_.lock();
    if (!info || id.empty() || !connection) return;
    auto session = connection->session(id);
    if (!take_({parent, session, *info})) let_go(parent, session);
}

void AutoAttach::let_go(std::shared_ptr<Session> parent, std::shared_ptr<Session> session) {
    letting_go_.remove_if([](const Running& each) { return each.done(); });
    letting_go_.push_back(start(resume_and_detach(std::move(parent), std::move(session))));
}

}  // namespace cdp
