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
Task<json::array> capture_cookies(std::shared_ptr<Session> browser, std::string context);

// Gives each of the state's origins that local storage and no other, through a page that nobody has used: it
// visits them without asking the network and comes back to about:blank with no history. Page.enable must have
// been sent.
Task<> restore_local_storage(std::shared_ptr<Session> page, json::value state);
// Reads the local storage of these origins in the same way, leaving out empty ones.
Task<json::array> capture_local_storage(std::shared_ptr<Session> page, std::vector<std::string> origins);
// Reads that of a page's main frame as it stands: {origin, localStorage}; null where it has none.
Task<json::value> local_storage_of(std::shared_ptr<Session> page);

// origin_storage.js: an object with `read(limit)`, what the document's origin keeps as {origin, localStorage,
// databases, skipped}, and `write(that)`.
std::string_view origin_storage_script();
// Reads these origins with it, in the way of capture_local_storage.
Task<json::array> capture_origins(std::shared_ptr<Session> page, std::vector<std::string> origins);

}  // namespace cdp
