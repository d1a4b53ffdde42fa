// Hides secrets in saved browser state (cookies, local storage), and puts them back.
#pragma once

#include "session/secrets.h"
#include "util/result.h"

namespace session {

// Replaces the value of each secret with its name: <secret>NAME</secret>, or <secret as="uri">NAME</secret>
// where the value was encoded.
json::value hide_in_state(const Secrets& secrets, json::value state);
// Puts the values back. PolicyDenied unless a secret is for the storage's origin or for every origin that
// gets the cookie: cookies know no ports, and only secure ones no http.
Result<json::value> reveal_in_state(const Secrets& secrets, json::value state);

}  // namespace session
