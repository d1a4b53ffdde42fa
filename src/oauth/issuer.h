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
// A GET that follows no redirect. Certificates are verified.
using Fetch = std::function<Task<Answer>(std::string url)>;
using Now = std::function<Time()>;

// Where the metadata of an issuer may be, the first that answers counts.
std::vector<std::string> metadata_urls(const std::string& issuer);

// Keeps the issuer's keys. However many ask, it is asked once at a time. Lives on the main loop and outlives
// the tasks that it gives.
class Issuer {
public:
    using Keys = std::shared_ptr<const KeySet>;

    Issuer(Loop& loop, std::string issuer, Fetch fetch, Now now, Log& log);

    const std::string& name() const { return issuer_; }
    // Fails when the issuer cannot be asked and no keys are known that are young enough.
    Task<Keys> keys();
    // For a token that none of the `known` keys signed: those that the issuer has now. Anybody can make up
    // such a token, so there is a limit to how often the issuer is asked; beyond it, `known`.
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
    Time fetched_{};   // when keys_ were
    Time retry_at_{};  // not before: it failed a moment ago
    Error last_failure_{};
    double questions_;  // that may be asked because of unknown keys
    Time counted_{};
    std::shared_ptr<SharedResult<void>> fetching_;
    Running running_;
};

}  // namespace oauth
