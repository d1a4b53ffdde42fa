// Cookies and local storage, in the form of Playwright's storage state files:
// {cookies: [{name, value, domain, path, expires, httpOnly, secure, sameSite}],
//  origins: [{origin, localStorage: [{name, value}]}]}.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cdp/connection.h"

namespace cdp {

// `context` is empty for the browser's default one.
Task<> set_cookies(std::shared_ptr<Session> browser, std::string context, json::array cookies);
Task<> restore_cookies(std::shared_ptr<Session> browser, std::string context, json::value state);
// Replaces all cookies. Call restore_cookies first with cookies that the browser may reject: it checks all of
// them before it sets the first.
Task<> replace_cookies(std::shared_ptr<Session> browser, std::string context, json::value state);
Task<json::array> capture_cookies(std::shared_ptr<Session> browser, std::string context);

// Replaces the local storage of each of the state's origins and of no other, through an unused page: visits
// them without network requests and returns to about:blank with no history. Page.enable must have been sent.
Task<> restore_local_storage(std::shared_ptr<Session> page, json::value state);
// Reads the local storage of these origins in the same way, leaving out empty ones.
Task<json::array> capture_local_storage(std::shared_ptr<Session> page, std::vector<std::string> origins);
// Reads the local storage of a page's main frame: {origin, localStorage}; null if it has none.
Task<json::value> local_storage_of(std::shared_ptr<Session> page);

// The source of origin_storage.js: an object with `read(limit)`, which returns the storage of the document's
// origin as {origin, localStorage, databases, skipped}, and `write(that)`.
std::string_view origin_storage_script();
// Reads these origins with that script, in the same way as capture_local_storage.
Task<json::array> capture_origins(std::shared_ptr<Session> page, std::vector<std::string> origins);

}  // namespace cdp
