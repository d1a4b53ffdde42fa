// Which hosts rules are about: a rule on the first line, an address or a host behind it. Whatever browsers
// read the same is judged the same, and nothing is taken for this machine that is not.
#include "config/rules.h"
#include "policy/addresses.h"
#include "policy/guard.h"
#include "policy/host_address.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/url_standard.h"
#include "util/loopback.h"
#include "util/strings.h"

namespace {

using fuzz::Host;
using fuzz::require;
using policy::Guard;
using policy::Policies;
using policy::Policy;
using policy::Rules;

constexpr int kOurPort = 8931;

std::optional<fuzz::Ipv4> mapped_v4(const fuzz::Ipv6& v6) {
    bool is_mapped = std::all_of(v6.begin(), v6.begin() + 5, [](auto piece) { return piece == 0; });
    if (!is_mapped || v6[5] != 0xffff) return std::nullopt;
    return static_cast<fuzz::Ipv4>(v6[6]) << 16U | v6[7];
}

// One host for all texts that lead to the same place.
Host place(const Host& host) {
    const auto* v6 = std::get_if<fuzz::Ipv6>(&host);
    if (auto v4 = v6 ? mapped_v4(*v6) : std::nullopt) return *v4;
    const auto* name = std::get_if<std::string>(&host);
    return name ? Host(name->substr(0, name->find_last_not_of('.') + 1)) : host;
}

bool is_this_machine(const Host& host) {
    Host there = place(host);
    if (const auto* v4 = std::get_if<fuzz::Ipv4>(&there)) return *v4 >> 24U == 127;
    if (const auto* v6 = std::get_if<fuzz::Ipv6>(&there)) return *v6 == fuzz::Ipv6{0, 0, 0, 0, 0, 0, 0, 1};
    return std::get<std::string>(there) == "localhost";
}

void check_loopback(std::string_view text) {
    if (!is_loopback(text)) return;
    auto host = fuzz::parse_host(text);
    // A bare address of IPv6, as a listener is configured with.
    if (!host) host = fuzz::parse_host("[" + std::string(text) + "]");
    require(host && is_this_machine(*host), "loopback is this machine for browsers too", text);
    require(!text.contains('%') && !text.contains('\0'), "loopback is written plainly", text);
}

void check_comparable(std::string_view text) {
    auto host = fuzz::parse_host(text);
    if (!host) return;
    std::string ours = policy::comparable_host(text);
    require(ours == policy::comparable_host(fuzz::serialize(*host)), "one host, one text", text);
    require(ours == policy::comparable_host(ours), "a comparable host stays as it is", ours);
    auto read = fuzz::parse_host(ours);
    require(read && place(*read) == place(*host), "a comparable host is the same host", ours);
}

bool denies(const Rules& rules, const std::string& url) {
    Guard guard(Policies(rules), [](const policy::Denial&) {});
    return !guard.may_visit(url);
}

// An agent's visit and a page's request, by any spelling of an address whose host is `url.host`.
void check_address(const std::string& given, const fuzz::StandardUrl& url, const std::string& rule) {
    std::string host = fuzz::serialize(url.host), plain = url.origin() + "/";
    std::string read = policy::as_browsers_read(given);
    require(denies({.blocked_domains = {host}}, given), "a blocked host is blocked in every spelling", given);
    require(Policy({.blocked_domains = {host}}).judge_url(read).has_value(), "so is a page's request", given);
    require(Policy({.blocked_origins = {url.origin()}}).judge_url(read).has_value(),
            "a blocked origin is blocked in every spelling", given);
    Host there = place(url.host);
    const auto* name = std::get_if<std::string>(&there);
    bool is_allowed = name && ("." + *name).ends_with(".only.example");
    require(is_allowed || denies({.allowed_domains = {"only.example"}}, given),
            "what is not allowed is denied in every spelling", given);

    Rules blocks{.blocked_domains = {rule}}, allows{.allowed_domains = {rule}};
    require(denies(blocks, given) || !denies(blocks, plain), "spelling does not evade a rule", given);
    require(denies(allows, given) || !denies(allows, plain), "spelling does not fit a rule", given);
    Rules more{.allowed_domains = {rule}, .blocked_domains = {rule}};
    require(denies(more, plain), "blocking wins over allowing", plain);

    Guard guard(Policies(Rules{}), [](const policy::Denial&) {});
    guard.protect(kOurPort);
    bool is_ours = is_this_machine(url.host) && url.port == std::to_string(kOurPort);
    require(!is_ours || !guard.may_visit(given), "our own listener is never visited", given);
}

// A rule that is taken means what it says, however it is written.
void check_rule(const std::string& rule) {
    if (!config::check_domains({rule}, "rule")) return;
    if (rule.find_first_of("*?") != std::string::npos) return;
    auto host = fuzz::parse_host(rule);
    if (!host) return;
    std::string url = "http://" + fuzz::serialize(*host) + "/";
    require(denies({.blocked_domains = {rule}}, url), "a rule blocks the host that it names", rule);
    require(!denies({.allowed_domains = {rule}}, url), "a rule allows the host that it names", rule);
    if (!std::holds_alternative<std::string>(*host)) return;
    std::string below = "http://a." + fuzz::serialize(*host) + "/";
    if (!fuzz::parse_url(below)) return;
    require(denies({.blocked_domains = {rule}}, below), "a rule blocks all below its host", rule);
}

void check_ip(std::string_view text) {
    auto host = fuzz::parse_host(text);
    if (!host || std::holds_alternative<std::string>(*host)) return;
    boost::system::error_code error;
    std::string serialized = fuzz::serialize(*host);
    if (serialized.starts_with('[')) serialized = serialized.substr(1, serialized.size() - 2);
    auto address = boost::asio::ip::make_address(serialized, error);
    require(!error, "an address is one for the resolver", serialized);
    require(!is_loopback(address) || policy::is_private(address), "this machine is private", text);
    require(is_loopback(address) == is_this_machine(*host), "one opinion about this machine", text);
    Policy blocks({.blocked_domains = {std::string(text)}});
    require(blocks.judge_address("name.example", address).has_value(),
            "a blocked address is blocked under any name", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::as_text(data, size);
    std::string rule(fuzz::take_until(rest, "\n"));
    std::string given(rest);
    for (std::string_view text : {std::string_view(rule), rest}) {
        check_loopback(text);
        check_comparable(text);
        check_ip(text);
    }
    check_rule(rule);
    if (!config::check_domains({rule}, "rule")) rule = "example.com";
    // A bare host, too, is the host of an address.
    for (const std::string& address : {given, "http://" + given + "/"}) {
        if (auto url = fuzz::parse_url(address)) check_address(address, *url, rule);
    }
    return 0;
}
