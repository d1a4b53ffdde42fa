// Saved state of a browser (cookies, local storage) without the secrets in it, and with them again.
#pragma once

#include "session/secrets.h"
#include "util/result.h"

namespace session {

// With the name of each secret in place of its value: <secret>NAME</secret>, or <secret
// as="uri">NAME</secret> where the value was encoded.
json::value hide_in_state(const Secrets& secrets, json::value state);
// The same state with the values again. PolicyDenied when a secret is not for the cookie's domain or the
// origin whose storage it is in.
Result<json::value> reveal_in_state(const Secrets& secrets, json::value state);

}  // namespace session
