#include "oauth/issuer.h"

#include <algorithm>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "util/secure_url.h"

namespace oauth {
namespace {

using namespace std::chrono_literals;

constexpr auto kFresh = 10min;       // keys are used this long without a request
constexpr auto kMaxAge = 60min;      // and this long when the issuer does not answer
constexpr auto kRetry = 5s;          // after a failed request
constexpr auto kMaxWait = 10s;       // for metadata and keys together
constexpr double kMaxQuestions = 5;  // burst of requests for unknown keys
constexpr auto kQuestionEvery = 30s;
constexpr std::size_t kMaxAnswer = 1 << 20;  // bytes

Error trouble(std::string what) { return Error{.code = ErrorCode::NetworkError, .message = std::move(what)}; }

}  // namespace

std::vector<std::string> metadata_urls(const std::string& issuer) {
    auto parsed = boost::urls::parse_uri(issuer);
    if (!parsed) return {};
    std::string origin(parsed->encoded_origin()), path(parsed->encoded_path());
    if (path.ends_with('/')) path.pop_back();
    std::vector<std::string> urls{origin + "/.well-known/oauth-authorization-server" + path,
                                  origin + "/.well-known/openid-configuration" + path};
    if (!path.empty()) urls.push_back(origin + path + "/.well-known/openid-configuration");
    return urls;
}

Issuer::Issuer(Loop& loop, std::string issuer, Fetch fetch, Now now, Log& log)
    : loop_(loop),
      issuer_(std::move(issuer)),
      fetch_(std::move(fetch)),
      now_(std::move(now)),
      log_(log),
      questions_(kMaxQuestions) {}

Task<Issuer::Keys> Issuer::keys() {
    if (keys_ && now_() < fetched_ + kFresh) co_return keys_;
    auto refreshed = co_await as_result(refresh());
    if (!refreshed && !(keys_ && now_() < fetched_ + kMaxAge)) co_return refreshed.error();
    co_return keys_;
}

Task<Issuer::Keys> Issuer::newer_keys(Keys known) {
    // Another task has fetched keys meanwhile.
    if (keys_ != known) co_return keys_;
    if (!fetching_ && !may_ask_again()) co_return known;
    co_await refresh();
    co_return keys_;
}

bool Issuer::may_ask_again() {
    Time now = now_();
    if (counted_ != Time{}) {
        double gained = std::chrono::duration<double>(now - counted_) / kQuestionEvery;
        questions_ = std::min(kMaxQuestions, questions_ + std::max(0.0, gained));
    }
    counted_ = now;
    if (questions_ < 1) return false;
    questions_ -= 1;
    return true;
}

Task<> Issuer::refresh() {
    auto shared = fetching_;
    if (!shared) {
        if (now_() < retry_at_) co_await last_failure_;
        shared = fetching_ = std::make_shared<SharedResult<void>>(loop_);
        running_ = start(fetch_keys(), [this, shared](Result<void> outcome) {
            fetching_ = nullptr;
            if (!outcome) {
                log_.warn("cannot get the keys of the OAuth issuer",
                          {{"issuer", issuer_}, {"error", outcome.error().to_string()}});
                last_failure_ = outcome.error();
                retry_at_ = now_() + kRetry;
            }
            shared->set(std::move(outcome));
        });
    }
    co_await shared->get();
}

Task<> Issuer::fetch_keys() {
    Deadline deadline = Deadline::in(kMaxWait);
    std::string url = co_await with_deadline(loop_, find_key_url(), deadline, "Reading its metadata");
    json::value found = co_await with_deadline(loop_, get(url), deadline, "Reading its keys");
    keys_ = std::make_shared<const KeySet>(co_await KeySet::parse(found));
    fetched_ = now_();
}

Task<std::string> Issuer::find_key_url() {
    Error failure = trouble("It has no metadata.");
    for (const std::string& url : metadata_urls(issuer_)) {
        auto found = co_await as_result(get(url));
        if (!found) {
            failure = found.error();
            continue;
        }
        const json::object* metadata = found->if_object();
        if (!metadata || json::find_string(*metadata, "issuer") != issuer_) {
            failure = trouble("The metadata at " + url + " is of another issuer.");
            continue;
        }
        auto key_url = json::find_string(*metadata, "jwks_uri");
        if (!key_url) {
            failure = trouble("The metadata at " + url + " names no keys (jwks_uri).");
            continue;
        }
        co_await check_secure_url(*key_url);
        // A remote issuer must not direct us to a service on this machine.
        if (key_url->starts_with("http:") && !issuer_.starts_with("http:"))
            co_await trouble("Its keys are not at an https address: " + std::string(*key_url));
        co_return std::string(*key_url);
    }
    co_return failure;
}

Task<json::value> Issuer::get(std::string url) {
    Answer answer = co_await fetch_(url);
    if (answer.status != 200) co_await trouble("HTTP " + std::to_string(answer.status) + " at " + url + ".");
    if (answer.body.size() > kMaxAnswer) co_await trouble("What is at " + url + " is too large.");
    co_return co_await json::parse(answer.body);
}

}  // namespace oauth
