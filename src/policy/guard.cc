#include "policy/guard.h"

#include <algorithm>
#include <array>

namespace policy {
namespace {

constexpr std::size_t kMostRemembered = 256;

std::string_view without_brackets(std::string_view host) {
    return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

// The host of an address, or of what a tunnel was asked for.
std::string host_of(const std::string& what) {
    Origin origin = read_origin(what);
    return std::string(without_brackets(origin.host));
}

bool is_here(std::string_view host) {
    boost::system::error_code error;
    auto address = boost::asio::ip::make_address(host, error);
    if (error) return host == "localhost" || host.ends_with(".localhost");
    return address.is_loopback() || address.is_unspecified();
}

// Pages of the browser's own, and the disk: no rule about the network holds there.
bool is_of_the_browser(std::string_view scheme) {
    static constexpr std::array<std::string_view, 6> kOwn = {
        "chrome", "chrome-untrusted", "chrome-extension", "chrome-search", "devtools", "file"};
    return std::find(kOwn.begin(), kOwn.end(), scheme) != kOwn.end();
}

}  // namespace

bool Guard::may_request(const std::string& url) {
    auto denial = policy_.judge_url(url);
    if (denial) denied(*denial);
    return !denial;
}

std::optional<Denial> Guard::judge_visit(const std::string& url) const {
    Origin origin = read_origin(url);
    std::string host(without_brackets(origin.host));
    std::string port = origin.port.empty() ? default_port(origin.scheme) : origin.port;
    if (protected_.contains(port) && is_here(host))
        return Denial{url, "the rule that pages never reach this server"};
    // What is only an origin's, the browser refuses and says so in its own words, as upstream's does.
    if (!policy_.is_boundary()) return std::nullopt;
    if (is_of_the_browser(scheme_of(url))) return Denial{url, "the rule that only the web may be visited"};
    if (auto denial = policy_.judge_domain(url)) return denial;
    boost::system::error_code error;
    auto address = boost::asio::ip::make_address(host, error);
    if (!error) return policy_.judge_address(host, address);
    if (policy_.denies_private_networks() && is_here(host))
        return Denial{url, "security.denyPrivateNetworks"};
    return std::nullopt;
}

Result<void> Guard::may_visit(const std::string& url, const Subject& who) {
    auto denial = judge_visit(url);
    if (!denial) return ok();
    denial->who = who;
    denied(*denial);
    return denial->error();
}

void Guard::denied(const Denial& denial) {
    if (by_host_.size() >= kMostRemembered) by_host_.clear();
    by_host_.insert_or_assign(host_of(denial.what), denial);
    told_(denial);
}

std::optional<Denial> Guard::why(const std::string& url) const {
    auto found = by_host_.find(host_of(url));
    if (found == by_host_.end()) return std::nullopt;
    return found->second;
}

}  // namespace policy
