#include "session/lent_context.h"

namespace session {

std::shared_ptr<ContextHub> ContextHub::create(std::shared_ptr<engine::Context> context) {
    std::shared_ptr<ContextHub> hub(new ContextHub(std::move(context)));
    std::weak_ptr<ContextHub> weak = hub;
    hub->context_->on_page_opened([weak](const std::shared_ptr<engine::Page>& page) {
        auto self = weak.lock();
        if (self)
            self->tell([&](Listener& listener) {
                if (listener.opened) listener.opened(page);
            });
    });
    hub->context_->on_page_closed([weak](engine::Page& page) {
        auto self = weak.lock();
        if (self)
            self->tell([&](Listener& listener) {
                if (listener.closed) listener.closed(page);
            });
    });
    hub->context_->on_lost([weak] {
        auto self = weak.lock();
        if (self)
            self->tell([](Listener& listener) {
                if (listener.lost) listener.lost();
            });
    });
    return hub;
}

ContextHub::~ContextHub() {
    context_->on_page_opened(nullptr);
    context_->on_page_closed(nullptr);
    context_->on_lost(nullptr);
}

std::shared_ptr<ContextHub::Listener> ContextHub::listen() {
    auto listener = std::make_shared<Listener>();
    listeners_.push_back(listener);
    return listener;
}

LentContext::LentContext(std::shared_ptr<Pool> pool, Pool::HostPtr host, std::shared_ptr<ContextHub> hub)
    : pool_(std::move(pool)), host_(std::move(host)), hub_(std::move(hub)), listener_(hub_->listen()) {
    listener_->lost = [this] { lose(); };
}

LentContext::~LentContext() {
    if (!given_back_) pool_->abandon(host_, hub_);
}

void LentContext::lose() {
    pool_->log_.channel("pw:mcp:backend", "browser disconnected");
    if (!std::exchange(given_back_, true)) pool_->abandon(host_, hub_);
    // Its listener may drop this very context.
    if (auto lost = std::exchange(lost_, nullptr)) lost();
}

Task<> LentContext::close(Deadline deadline) {
    if (std::exchange(given_back_, true)) co_return;
    listener_->opened = nullptr;
    co_await pool_->give_back(host_, hub_, deadline);
}

}  // namespace session
