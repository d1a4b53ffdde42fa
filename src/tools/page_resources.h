// What is read of a page as a resource. Nothing here waits for long: not for a call that has the session's
// turn, and not for a page that does not answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "tools/content.h"

namespace tools {

// As JSON, without the secrets.
std::vector<ResourceContents> as_json(std::string uri, json::object data, const session::Secrets& secrets);

// The session's tabs: {uri, pageId, url, current}.
json::array list_pages(const session::Session& session, const std::string& session_name);
// Of a page that does not answer, what is known without it.
Task<json::object> read_page_facts(std::shared_ptr<session::Tab> tab);
// Fails with ElementNotFound when no element goes by that ref.
Task<json::object> read_element_facts(std::shared_ptr<session::Session> session,
                                      std::shared_ptr<session::Tab> tab, std::string ref);
json::object read_network_log(const session::Tab& tab);

// These two take a turn of the session. Nothing when the tab has gone meanwhile.
using ReadContents = std::optional<std::vector<ResourceContents>>;
Task<ReadContents> read_snapshot(std::string uri, std::shared_ptr<session::Session> session,
                                 std::shared_ptr<session::Tab> tab);
Task<ReadContents> take_picture(std::string uri, std::shared_ptr<session::Session> session,
                                std::shared_ptr<session::Tab> tab);

}  // namespace tools
