#include "browsers.h"

#include "browsers/context_lease.h"
#include "engine/cdp/browser.h"
#include "engine/cdp/connector.h"
#include "engine/cdp/launcher.h"
#include "engine/playwright/runner.h"
#include "engine/responsiveness.h"

Task<std::shared_ptr<engine::Browser>> launch_browser(Loop& loop, engine::LaunchOptions options, Log& log) {
    options.remover = {"/proc/self/exe", std::string(kRemoveProfile)};
    auto headless = options.headless ? cdp::Headless::Yes : cdp::Headless::No;
    auto timeout = options.timeout;
    auto process = co_await cdp::launch(loop, std::move(options), log);
    co_return co_await with_deadline(loop, cdp::Browser::create(loop, std::move(process), headless, log),
                                     Deadline::in(timeout), "The browser's first answer");
}

Task<std::shared_ptr<engine::Browser>> connect_browser(Loop& loop, engine::ConnectOptions options, Log& log) {
    auto connected = co_await cdp::connect(loop, options, log);
    Deadline deadline = options.timeout.count() > 0 ? Deadline::in(options.timeout) : Deadline::never();
    co_return co_await with_deadline(loop, cdp::Browser::attach(loop, std::move(connected), options, log),
                                     deadline, "The first answer of the browser of --cdp-endpoint");
}

Task<std::shared_ptr<engine::Browser>> counting_unresponsive(Task<std::shared_ptr<engine::Browser>> browser,
                                                             Counter& unresponsive) {
    auto running = co_await std::move(browser);
    running->on_lost([weak = std::weak_ptr(running), &unresponsive] {
        auto lost = std::dynamic_pointer_cast<engine::Responsiveness>(weak.lock());
        if (lost && lost->is_unresponsive()) unresponsive.add();
    });
    co_return running;
}

std::shared_ptr<engine::CodeRunner> code_runner(Loop& loop, const std::shared_ptr<engine::Context>& context,
                                                playwright::HelperOptions options, Log& log) {
    auto lease = std::dynamic_pointer_cast<browsers::ContextLease>(context);
    auto own = std::dynamic_pointer_cast<cdp::Context>(lease ? lease->underlying() : context);
    playwright::OwnPages own_pages;
    if (lease && lease->has_own_tabs()) {
        own_pages = [weak = std::weak_ptr(lease)] {
            auto session = weak.lock();
            return session ? session->pages() : std::vector<std::shared_ptr<engine::Page>>();
        };
    }
    if (!own) return nullptr;
    return playwright::make_runner(loop, own, std::move(own_pages), std::move(options), log);
}
