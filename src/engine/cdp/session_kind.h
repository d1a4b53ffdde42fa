// The kind of target that a page's session is attached to.
#pragma once

namespace cdp {

enum class SessionKind {
    Page,    // the page itself, with every frame that runs in its process
    Frame,   // an out-of-process iframe
    Worker,  // a worker that the page started
    ServiceWorker,
};

}  // namespace cdp
