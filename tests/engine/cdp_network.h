// A page of a real browser whose requests are followed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cdp/network_log.h"
#include "tests/engine/cdp_chromium.h"

class NetworkTest : public ChromiumTest {
protected:
    void open(const engine::ContextOptions& options = {}) {
        page = open_page([&](const SessionPtr& session) {
            network = std::make_unique<cdp::NetworkLog>(target, options);
            network->attach(session, cdp::SessionKind::Page);
        });
    }
    // The entry of a path, once it has ended.
    const engine::RequestEntry& ended(const std::string& path) {
        const engine::RequestEntry* found = nullptr;
        run_until([&] {
            for (const auto& entry : network->entries()) {
                if (entry.url == site() + path && entry.finished) found = &entry;
            }
            return found != nullptr;
        });
        static const engine::RequestEntry kNone;
        return found ? *found : kNone;
    }
    // "GET /path 200 OK", "GET /path net::ERR_FAILED"
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        for (const auto& entry : network->entries()) {
            std::string line = entry.method + " " + entry.url.substr(site().size());
            if (entry.status) line += " " + std::to_string(*entry.status) + " " + entry.status_text;
            if (!entry.failure.empty()) line += " " + entry.failure;
            all.push_back(line);
        }
        return all;
    }
    std::string fetch(const std::string& path, const std::string& options = "{}") {
        return evaluate_text(page, "fetch('" + path + "', " + options +
                                       ").then(r => r.text()).catch(e => 'failed: ' + e.message)");
    }

    SessionPtr page;
    std::unique_ptr<cdp::NetworkLog> network;
};
