// Reads a page's resources. Waits only briefly, both for a call that holds the session's turn and for a page
// that does not answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "tools/content.h"

namespace tools {

// As JSON, with secrets redacted.
std::vector<ResourceContents> as_json(std::string uri, json::object data, const session::Secrets& secrets);

// The session's tabs: {uri, pageId, url, current}.
json::array list_pages(const session::Session& session, const std::string& session_name);
// For a page that does not answer, the facts that are known without it.
Task<json::object> read_page_facts(std::shared_ptr<session::Tab> tab);
// Fails with ElementNotFound when no element has that ref.
Task<json::object> read_element_facts(std::shared_ptr<session::Session> session,
                                      std::shared_ptr<session::Tab> tab, std::string ref);
json::object read_network_log(const session::Tab& tab);

// These two take a turn of the session. Nothing when the tab has been closed meanwhile.
using ReadContents = std::optional<std::vector<ResourceContents>>;
Task<ReadContents> read_snapshot(std::string uri, std::shared_ptr<session::Session> session,
                                 std::shared_ptr<session::Tab> tab);
Task<ReadContents> take_picture(std::string uri, std::shared_ptr<session::Session> session,
                                std::shared_ptr<session::Tab> tab);

}  // namespace tools
