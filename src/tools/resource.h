// Resources that an agent can read by URI.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/client.h"
#include "tools/content.h"
#include "tools/stands_for.h"

namespace tools {

struct Resource {
    std::string uri;
    std::string name;
    std::string title;
    std::string description;
    std::string mime_type;
    json::object meta = {};  // metadata for programs
};

struct ResourceTemplate {
    std::string uri_template;
    std::string name;
    std::string title;
    std::string description;
    std::string mime_type;
};

// The values already chosen for the other arguments.
using CompletionContext = std::map<std::string, std::string>;

struct CompletionRequest {
    std::string uri_template;
    std::string argument;
    std::string typed;
    CompletionContext context = {};
};

// Lists and reads one family of resources.
class ResourceProvider {
public:
    virtual ~ResourceProvider() = default;

    virtual std::vector<Resource> list(const Caller& caller) const = 0;
    virtual std::vector<ResourceTemplate> templates() const { return {}; }
    // The access that reading this URI requires. Nothing when the URI is not this provider's: then it is not
    // read.
    virtual std::optional<Access> reading(const std::string& uri) const = 0;
    // Whether there is such a resource for this caller, or may be one later. Only asked of URIs that
    // reading() knows.
    virtual bool may_exist(const std::string& uri, const Caller& caller) const {
        (void)uri;
        (void)caller;
        return true;
    }
    // Nothing when the URI does not belong to this caller, or does not exist.
    virtual Task<std::optional<std::vector<ResourceContents>>> read(std::string uri, Client& client) = 0;
    // Watches for changes that would otherwise go unnoticed, until the handle is dropped. Null: no watch is
    // needed.
    virtual std::shared_ptr<void> watch(const std::string& uri, const Caller& caller) {
        (void)uri;
        (void)caller;
        return nullptr;
    }
    // The access that completing this argument requires. Nothing when there are no completions: then it is
    // not asked.
    virtual std::optional<Access> completing(const CompletionRequest&) const { return std::nullopt; }
    // Values for a template's argument that start with the typed text.
    virtual Task<std::vector<std::string>> complete(CompletionRequest request, Client& client);
};

}  // namespace tools
