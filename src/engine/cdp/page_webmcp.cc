// Tools that pages offer to agents: WebMCP, https://webmachinelearning.github.io/webmcp/
#include <algorithm>

#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

// Max number of tools taken from a frame's offer, and max size of the offer.
constexpr std::size_t kMaxTools = 100, kMaxOfferBytes = 1 << 20;
// Documents without tools and without new actions are asked again only after this time.
constexpr auto kAskAgain = std::chrono::seconds(1);

// Runs in the page's own world: many pages bring the interface along as a script. Returns text, so that no
// live object of the page reaches us.
constexpr std::string_view kCollect = R"(async () => {
  const host = document.modelContext ?? navigator.modelContext;
  if (typeof host?.getTools !== 'function') return null;
  const hint = (tool, name) => !!(tool.annotations?.[name + 'Hint'] ?? tool.annotations?.[name]);
  const tools = [];
  for (const tool of await host.getTools()) {
    if ('window' in tool && tool.window !== window) continue;
    let inputSchema = tool.inputSchema;
    try {
      if (typeof inputSchema === 'string') inputSchema = JSON.parse(inputSchema);
    } catch {
      inputSchema = undefined;
    }
    tools.push({
      name: String(tool.name), title: String(tool.title ?? ''), description: String(tool.description ?? ''), inputSchema,
      readOnly: hint(tool, 'readOnly'), untrusted: hint(tool, 'untrustedContent'), consequential: hint(tool, 'consequential'),
    });
  }
  return JSON.stringify(tools);
})";

// Some implementations take the arguments as an object, others as JSON text.
constexpr std::string_view kCall = R"(async (name, text) => {
  const host = document.modelContext ?? navigator.modelContext;
  if (!host) throw new Error('WebMCP is not available on this page');
  let answer;
  if (typeof host.executeTool === 'function') {
    const tools = [...await host.getTools()].filter(tool => !('window' in tool) || tool.window === window);
    const tool = tools.find(each => each.name === name);
    if (!tool) throw new Error(`WebMCP tool "${name}" is not registered in this frame`);
    try {
      answer = await host.executeTool(tool, JSON.parse(text));
    } catch (error) {
      if (!String(error?.message).includes('Failed to parse input arguments')) throw error;
      answer = await host.executeTool(tool, text);
    }
  } else {
    answer = await host.invokeTool(name, JSON.parse(text));
  }
  return typeof answer === 'string' ? answer : JSON.stringify(answer) ?? 'null';
})";

engine::PageTool to_tool(const json::object& given) {
    engine::PageTool tool{.name = text_of(given, "name"),
                          .title = text_of(given, "title"),
                          .description = text_of(given, "description"),
                          .read_only = flag_of(given, "readOnly"),
                          .untrusted_content = flag_of(given, "untrusted"),
                          .consequential = flag_of(given, "consequential")};
    if (const json::value* schema = json::find(given, "inputSchema")) tool.input_schema = *schema;
    return tool;
}

// Whether the frame reported that it has no such interface.
bool has_none(const Result<json::value>& answer) {
    const json::object* object = answer ? answer->if_object() : nullptr;
    const json::value* value = object ? json::find(*object, "value") : nullptr;
    return value && value->is_null();
}

// The tools in a frame's answer; empty if it offers none or the answer is invalid.
std::vector<engine::PageTool> read_tools(const Result<json::value>& answer) {
    std::vector<engine::PageTool> tools;
    const json::value* value =
        answer && answer->is_object() ? json::find(answer->get_object(), "value") : nullptr;
    bool is_offer = value && value->is_string() && value->get_string().size() <= kMaxOfferBytes;
    auto parsed = is_offer ? json::parse(value->get_string()) : Result<json::value>(json::value());
    if (!parsed || !parsed->is_array()) return tools;
    for (const json::value& each : parsed->get_array()) {
        if (each.is_object() && tools.size() < kMaxTools) tools.push_back(to_tool(each.get_object()));
    }
    return tools;
}

}  // namespace

std::optional<std::vector<std::string>> Page::loaded_documents() {
    std::vector<std::string> documents;
    for (const std::string& id : frame_ids()) {
        Frame* frame = frames_.find(id);
        if (!frame || !frame->lifecycle.contains("load")) return std::nullopt;
        documents.push_back(frame->loader);
    }
    return documents;
}

Task<std::vector<engine::PageTool>> Page::page_tools(Deadline deadline) {
    auto self = shared_from_this();
    auto documents = loaded_documents();
    if (without_tools_ && without_tools_->documents == documents &&
        without_tools_->acts_before == acts_begun_ &&
        Deadline::Clock::now() < without_tools_->asked + kAskAgain)
        co_return std::vector<engine::PageTool>();
    without_tools_.reset();
    std::size_t acts_before = acts_begun_;
    auto collect = [this](const std::string& frame) {
        return frames_.call_in_page(frame, std::string(kCollect), {});
    };
    std::vector<FrameAnswer> all = co_await ask_frames(frame_ids(), collect, deadline);
    if (documents && std::ranges::all_of(all, has_none, &FrameAnswer::answer))
        without_tools_ = WithoutTools{std::move(*documents), Deadline::Clock::now(), acts_before};
    std::map<std::string, int> addresses;
    for (const FrameAnswer& each : all) ++addresses[each.url];
    std::vector<engine::PageTool> tools;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (engine::PageTool& tool : read_tools(all[i].answer)) {
            tool.frame = all[i].frame;
            tool.frame_label = all[i].url;
            if (addresses[all[i].url] > 1) tool.frame_label += " (frame " + std::to_string(i) + ")";
            tool.in_main_frame = i == 0;
            tools.push_back(std::move(tool));
        }
    }
    co_return tools;
}

Task<std::string> Page::call_page_tool(engine::PageTool tool, json::value arguments, Deadline deadline) {
    auto self = shared_from_this();
    json::value answer = co_await bounded(
        frames_.call_in_page(tool.frame, std::string(kCall),
                             {json::value(tool.name), json::value(json::serialize(arguments))}),
        deadline, "The page's tool " + tool.name);
    co_return text_of(answer.as_object(), "value");
}

}  // namespace cdp
