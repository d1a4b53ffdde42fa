// Everything that a server offers, with change notifications.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/prompt.h"
#include "tools/resource.h"
#include "tools/tool.h"

namespace tools {

enum class Kind { Tools, Prompts, Resources };

// The callers that a change concerns; empty: all.
using Audience = std::function<bool(const Caller& caller)>;

// A list that changed, or (with a URI) a resource whose content changed.
struct Change {
    Kind kind;
    std::string_view updated_uri = {};
    const Audience& audience;
};

// Lives on the main loop. Lists keep the order in which things were added.
class Registry {
public:
    // Called on every change.
    using Observer = std::function<void(const Change& change)>;

    void add(Tool tool);
    // A tool that answers calls but is not listed, for a name that clients may know from elsewhere.
    void add_hidden(Tool tool);
    void add(Prompt prompt);
    void add(std::shared_ptr<ResourceProvider> provider);
    bool remove_tool(std::string_view name);
    bool remove_prompt(std::string_view name);

    // Shared, so that a running call keeps its tool when the tool is removed.
    std::shared_ptr<const Tool> find_tool(std::string_view name) const;
    std::shared_ptr<const Prompt> find_prompt(std::string_view name) const;
    // Tools that one caller currently has and others do not.
    using OwnTools = std::function<std::vector<std::shared_ptr<const Tool>>(const Caller& caller)>;
    void set_own_tools(OwnTools own) { own_tools_ = std::move(own); }
    std::vector<std::shared_ptr<const Tool>> own_tools(const Caller& caller) const {
        return own_tools_ ? own_tools_(caller) : std::vector<std::shared_ptr<const Tool>>();
    }
    bool has_own_tools() const { return static_cast<bool>(own_tools_); }
    void own_tools_changed(const Audience& audience) const { notify({Kind::Tools, {}, audience}); }

    const std::vector<std::shared_ptr<const Tool>>& tools() const { return tools_; }
    const std::vector<std::shared_ptr<const Prompt>>& prompts() const { return prompts_; }
    const std::vector<std::shared_ptr<ResourceProvider>>& resources() const { return resources_; }

    // A resource's content changed: notifies its subscribers.
    void resource_updated(std::string_view uri, const Audience& audience = {}) const {
        notify({Kind::Resources, uri, audience});
    }
    void resource_list_changed(const Audience& audience = {}) const {
        notify({Kind::Resources, {}, audience});
    }

    void set_observer(Observer observer) { observer_ = std::move(observer); }

private:
    void notify(const Change& change) const {
        if (observer_) observer_(change);
    }
    void list_changed(Kind kind) const { notify({.kind = kind, .audience = {}}); }

    std::vector<std::shared_ptr<const Tool>> tools_, hidden_tools_;
    std::vector<std::shared_ptr<const Prompt>> prompts_;
    std::vector<std::shared_ptr<ResourceProvider>> resources_;
    OwnTools own_tools_;
    Observer observer_;
};

}  // namespace tools
