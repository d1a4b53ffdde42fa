// A session's browser state as one JSON document, taken from one context and put into another: {version,
// setup, context: {cookies, origins, …}, tabs: [{id, url, title, history, storage, document, …}], current},
// or {version, setup, begun} before the first capture. The engine defines the parts: Context::save_state and
// Page::save_state.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "session/unrestored.h"

namespace session {

using Pages = std::vector<std::shared_ptr<engine::Page>>;

// Asks the browser. Parts that it was not asked for or could not give are copied from `before`.
Task<json::object> capture(std::shared_ptr<engine::Context> context, Pages pages, std::size_t current,
                           engine::Context::Reach reach, json::object before, Deadline deadline);

// The same without asking: takes the known addresses, and the rest from `before`.
json::object with_addresses(json::object before, const Pages& pages, std::size_t current);

// The checkpoint before any page was read: only that the session was created, and whether it has had a
// browser.
json::object beginning(bool had_browser);
bool is_beginning(const json::object& checkpoint);
bool had_browser(const json::object& beginning);

struct Restored {
    Pages pages;
    std::size_t current = 0;
    std::vector<std::string> missing;  // parts that were not restored, a sentence each
    Unrestored unrestored;             // parts that another attempt may restore
};
enum class OpenTabs { Yes, No };
// Restores everything into an unused context: cookies and storage before any page loads. Fails only when the
// context cannot be used.
Task<Restored> restore(Loop& loop, std::shared_ptr<engine::Context> context, json::object checkpoint,
                       OpenTabs open_tabs, Deadline deadline);

std::string to_text(const json::object& checkpoint);
// Fails when another version wrote the text.
Result<json::object> parse_checkpoint(const std::string& text);

}  // namespace session
