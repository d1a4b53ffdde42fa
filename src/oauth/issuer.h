// The authorization server that issues tokens for us: its metadata (RFC 8414, OpenID Discovery) and its keys.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "oauth/claims.h"
#include "oauth/key.h"
#include "util/async.h"
#include "util/log.h"
#include "util/shared_result.h"

namespace oauth {

struct Answer {
    int status = 0;
    std::string body;
};
// Sends a GET that follows no redirect. Certificates are verified.
using Fetch = std::function<Task<Answer>(std::string url)>;
using Now = std::function<Time()>;

// The possible URLs of an issuer's metadata; the first one that answers counts.
std::vector<std::string> metadata_urls(const std::string& issuer);

// Caches the issuer's keys. Concurrent callers share one request to the issuer. Lives on the main loop and
// outlives the tasks that it returns.
class Issuer {
public:
    using Keys = std::shared_ptr<const KeySet>;

    Issuer(Loop& loop, std::string issuer, Fetch fetch, Now now, Log& log);

    const std::string& name() const { return issuer_; }
    // Fails when the issuer cannot be reached and no cached keys are recent enough.
    Task<Keys> keys();
    // For a token that none of the `known` keys signed: returns the issuer's current keys. Anyone can forge
    // such a token, so requests to the issuer are limited; beyond the limit, returns `known`.
    Task<Keys> newer_keys(Keys known);

private:
    Task<> refresh();
    Task<> fetch_keys();
    Task<std::string> find_key_url();
    Task<json::value> get(std::string url);
    bool may_ask_again();

    Loop& loop_;
    std::string issuer_;
    Fetch fetch_;
    Now now_;
    Log& log_;
    Keys keys_;
    Time fetched_{};   // time of the last fetch of keys_
    Time retry_at_{};  // earliest next request, after a failed one
    Error last_failure_{};
    double questions_;  // remaining requests because of unknown keys
    Time counted_{};
    std::shared_ptr<SharedResult<void>> fetching_;
    Running running_;
};

}  // namespace oauth
