#include "policy/guard.h"

#include <algorithm>
#include <array>

#include "util/loopback.h"

namespace policy {
namespace {

constexpr std::size_t kMaxRemembered = 256;

std::string_view without_brackets(std::string_view host) {
    return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

// The host of a URL, or of a tunnel's target.
std::string host_of(const std::string& what) {
    Origin origin = read_origin(what);
    return std::string(without_brackets(origin.host));
}

std::string key_of(const Subject& who, const std::string& what) {
    return who.principal + "\n" + who.session + "\n" + host_of(what);
}

// Whether a browser may reach this machine by this host: broader than is_loopback, as a match is refused.
bool is_here(std::string_view host) {
    if (is_loopback(host)) return true;
    if (host.ends_with('.')) host.remove_suffix(1);
    boost::system::error_code error;
    auto address = boost::asio::ip::make_address(host, error);
    if (error) return host == "localhost" || host.ends_with(".localhost");
    return is_loopback(address) || address.is_unspecified();
}

// "settings" of chrome://settings/ and of about:settings, which means the same.
std::string_view page_of_the_browser(std::string_view url) {
    url.remove_prefix(std::min(url.find_first_not_of(":/", url.find(':')), url.size()));
    return url.substr(0, url.find_first_of("/?#"));
}

// Whether this is one of the browser's own pages, where rules about the network do not apply.
bool is_of_the_browser(std::string_view url) {
    static constexpr std::array<std::string_view, 6> kOwn = {
        "chrome", "chrome-untrusted", "chrome-extension", "chrome-search", "devtools", "edge"};
    std::string scheme = scheme_of(url);
    if (scheme != "about") return std::ranges::find(kOwn, scheme) != kOwn.end();
    std::string_view page = page_of_the_browser(url);
    return page != "blank" && page != "srcdoc";
}

// Pages that show no data and change nothing; clients of @playwright/mcp visit them.
bool is_harmless(std::string_view url) {
    std::string_view page = page_of_the_browser(url);
    return scheme_of(url) == "chrome" && (page == "version" || page == "crash");
}

}  // namespace

bool Guard::may_request(const std::string& url, const Subject* who) {
    auto denial = policies_.judge_url(url, who);
    if (denial) denied(*denial);
    return !denial;
}

std::optional<Denial> Guard::judge_visit(const std::string& given, const Subject& who) const {
    std::string url = without_view_source(as_browsers_read(given));
    Origin origin = read_origin(url);
    std::string host(without_brackets(origin.host));
    std::string port = origin.port.empty() ? default_port(origin.scheme) : origin.port;
    if (protected_.contains(port) && is_here(host))
        return Denial{url, "the rule that pages never reach this server"};
    bool bounded = policies_.is_boundary(who);
    // Without such rules, this class does not decide about files.
    if (bounded ? is_of_the_browser(url) || scheme_of(url) == "file"
                : is_of_the_browser(url) && !is_harmless(url))
        return Denial{url, "the rule that only the web may be visited"};
    // For rules about origins only, the browser refuses with its own error, like upstream's.
    if (!bounded) return std::nullopt;
    if (auto denial = policies_.judge_domain(url, who)) return denial;
    boost::system::error_code error;
    auto address = boost::asio::ip::make_address(host, error);
    if (!error) return policies_.judge_address(host, address, &who);
    if (policies_.denies_private_networks() && is_here(host))
        return Denial{url, "security.denyPrivateNetworks"};
    return std::nullopt;
}

Result<void> Guard::may_visit(const std::string& url, const Subject& who) {
    auto denial = judge_visit(url, who);
    if (!denial) return ok();
    denial->who = who;
    denied(*denial);
    return denial->error();
}

void Guard::denied(const Denial& denial) {
    if (refused_.size() >= kMaxRemembered) refused_.clear();
    refused_.insert_or_assign(key_of(denial.who, denial.what), denial);
    on_denied_(denial);
}

std::optional<Denial> Guard::why(const std::string& url, const Subject& who) const {
    // A refusal without a known owner may concern any caller.
    for (const Subject& each : {who, Subject{}}) {
        if (auto found = refused_.find(key_of(each, url)); found != refused_.end()) return found->second;
    }
    return std::nullopt;
}

}  // namespace policy
