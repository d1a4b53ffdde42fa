#include "browsers/warm_contexts.h"

#include <tuple>

namespace browsers {
namespace {

// Lists every field: a new one does not compile until it is compared as well.
auto fields_of(const engine::ContextOptions& options) {
    const auto& [viewport, screen, device_scale_factor, is_mobile, has_touch, user_agent, locale, timezone,
                 color_scheme, reduced_motion, forced_colors, contrast, permissions, extra_headers,
                 geolocation, http_credentials, storage_state, proxy_server, proxy_bypass, proxy_credentials,
                 accept_downloads, ignore_https_errors, bypass_csp, java_script_enabled, offline, throttling,
                 block_service_workers, init_scripts, test_id_attribute, network_access, download_directory] =
        options;
    (void)network_access;
    return std::tie(viewport, screen, device_scale_factor, is_mobile, has_touch, user_agent, locale, timezone,
                    color_scheme, reduced_motion, forced_colors, contrast, permissions, extra_headers,
                    geolocation, http_credentials, storage_state, proxy_server, proxy_bypass,
                    proxy_credentials, accept_downloads, ignore_https_errors, bypass_csp, java_script_enabled,
                    offline, throttling, block_service_workers, init_scripts, test_id_attribute,
                    download_directory);
}

bool is_usable(const PreparedContext& prepared) {
    return !prepared.context->is_lost() && !prepared.page->is_closed() && !prepared.page->has_crashed();
}

}  // namespace

Task<PreparedContext> prepare_context(std::shared_ptr<engine::Browser> browser,
                                      engine::ContextOptions options, Deadline deadline) {
    PreparedContext prepared{.context = {}, .page = {}, .network_access = options.network_access};
    prepared.context = co_await browser->new_context(std::move(options), deadline);
    prepared.page = co_await prepared.context->new_page(deadline);
    co_return prepared;
}

Task<> warm_up(PreparedContext prepared, Deadline deadline) {
    co_await prepared.page->snapshot({}, nullptr, deadline);
    co_await prepared.context->cookies(deadline);
}

bool are_alike(const engine::ContextOptions& one, const engine::ContextOptions& other) {
    return fields_of(one) == fields_of(other) && !one.network_access == !other.network_access;
}

void WarmContexts::add(PreparedContext prepared, engine::ContextOptions options) {
    ready_.push_back({std::move(prepared), std::move(options)});
}

void WarmContexts::keep_only(const engine::ContextOptions& options) {
    std::erase_if(ready_, [&](const Entry& entry) {
        return !is_usable(entry.prepared) || !are_alike(entry.options, options);
    });
}

std::optional<PreparedContext> WarmContexts::take(const engine::ContextOptions& options) {
    for (auto it = ready_.begin(); it != ready_.end(); ++it) {
        if (!is_usable(it->prepared) || !are_alike(it->options, options)) continue;
        PreparedContext prepared = std::move(it->prepared);
        ready_.erase(it);
        return prepared;
    }
    return std::nullopt;
}

}  // namespace browsers
