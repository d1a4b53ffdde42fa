// What a session of a page leads to.
#pragma once

namespace cdp {

enum class SessionKind {
    Page,    // the page itself, with every frame that runs in its process
    Frame,   // an out-of-process iframe
    Worker,  // a worker that the page started
    ServiceWorker,
};

}  // namespace cdp
