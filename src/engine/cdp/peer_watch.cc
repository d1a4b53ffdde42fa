#include "engine/cdp/peer_watch.h"

#include "engine/cdp/fields.h"
#include "page/script.h"

namespace cdp {
namespace {

// The script removes the binding before the page can see it.
constexpr std::string_view kBinding = "troupePeers";

}  // namespace

void PeerWatch::attach(const std::shared_ptr<Session>& session) {
    if (!network_access_ || !network_access_->peers_sought) return;
    subscriptions_.push_back(session->on("Runtime.bindingCalled", [this](const json::object& params) {
        if (json::find_string(params, "name") != kBinding) return;
        network_access_->peers_sought(text_of(params, "payload"),
                                      network_access_->identity_of(page_, opener_));
    }));
    session->post("Runtime.addBinding", {{"name", kBinding}});
    session->post("Page.addScriptToEvaluateOnNewDocument",
                  {{"source", page::peers_script()}, {"runImmediately", true}});
}

}  // namespace cdp
