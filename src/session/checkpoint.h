// A session's browser state as one JSON document, taken from one context and put into another:
// {version, setup, context: {cookies, origins, …}, tabs: [{id, url, title, history, storage, document, …}],
// current}. The parts are the engine's: Context::remember and Page::remember.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "session/unrestored.h"

namespace session {

using Pages = std::vector<std::shared_ptr<engine::Page>>;

// Asks the browser. What it was not asked for this time, or could not say, is as it was in `before`.
Task<json::object> capture(std::shared_ptr<engine::Context> context, Pages pages, std::size_t current,
                           engine::Context::Reach reach, json::object before, Deadline deadline);

// The same without asking: the addresses that are known, and for the rest what was there before.
json::object with_addresses(json::object before, const Pages& pages, std::size_t current);

struct Restored {
    Pages pages;
    std::size_t current = 0;
    std::vector<std::string> missing;  // what could not be brought back, a sentence each
    Unrestored unrestored;             // what of it another attempt may bring back
};
enum class OpenTabs { Yes, No };
// Puts everything into a context that nobody has used: cookies and storage before any page loads. Fails only
// where the context cannot be used.
Task<Restored> restore(Loop& loop, std::shared_ptr<engine::Context> context, json::object checkpoint,
                       OpenTabs open_tabs, Deadline deadline);

std::string to_text(const json::object& checkpoint);
// Fails for what another version wrote.
Result<json::object> parse_checkpoint(const std::string& text);

}  // namespace session
