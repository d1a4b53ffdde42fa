// What an agent can read by URI.
#pragma once

#include <map>
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
};

struct ResourceTemplate {
    std::string uri_template;
    std::string name;
    std::string title;
    std::string description;
    std::string mime_type;
};

// What was already chosen for the other arguments.
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
    // What reading this URI stands for. Nothing when it is none of this provider's: then it is not read.
    virtual std::optional<Access> reading(const std::string& uri) const = 0;
    // Nothing when the URI is not this caller's, or there is nothing behind it.
    virtual Task<std::optional<std::vector<ResourceContents>>> read(std::string uri, Client& client) = 0;
    // What completing this argument stands for. Nothing when there is nothing to say: then it is not asked.
    virtual std::optional<Access> completing(const CompletionRequest&) const { return std::nullopt; }
    // Values for a template's argument that begin with what was typed.
    virtual Task<std::vector<std::string>> complete(CompletionRequest request, Client& client);
};

}  // namespace tools
