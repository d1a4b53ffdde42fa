#include "tests/conformance/fixtures.h"

namespace conformance {
namespace {

using namespace tools;

constexpr std::string_view kTemplate = "test://template/{id}/data";
constexpr std::string_view kTemplateStart = "test://template/";
constexpr std::string_view kTemplateEnd = "/data";

const StandsFor kItself{"resources/fixture", "", Effect::ReadsServer};

// The resources that scenarios name. `test://watched-resource` counts how often it was changed.
class FixtureResources : public ResourceProvider {
public:
    std::vector<Resource> list(const Caller&) const override {
        return {
            {.uri = "test://static-text",
             .name = "static-text",
             .title = "Static text",
             .description = "A text that never changes.",
             .mime_type = "text/plain"},
            {.uri = "test://static-binary",
             .name = "static-binary",
             .title = "Static image",
             .description = "One red pixel.",
             .mime_type = "image/png"},
            {.uri = "test://watched-resource",
             .name = "watched-resource",
             .title = "Watched text",
             .description = "A text to subscribe to; test_trigger_resource_change changes it.",
             .mime_type = "text/plain"},
        };
    }

    std::vector<ResourceTemplate> templates() const override {
        return {{.uri_template = std::string(kTemplate),
                 .name = "template",
                 .title = "Data by id",
                 .description = "Data made up from the id in its URI.",
                 .mime_type = "application/json"}};
    }

    std::optional<Access> reading(const std::string&) const override { return Access{kItself}; }

    Task<std::optional<std::vector<ResourceContents>>> read(std::string uri, Client&) override {
        if (uri == "test://static-text") {
            co_return text(uri, "text/plain", "This is the content of the static text resource.");
        }
        if (uri == "test://static-binary") {
            co_return std::vector{
                ResourceContents{.uri = uri, .mime_type = "image/png", .base64 = std::string(kRedPixelPng)}};
        }
        if (uri == "test://watched-resource") {
            co_return text(uri, "text/plain",
                           "Watched resource, revision " + std::to_string(revision_) + ".");
        }
        if (uri.starts_with(kTemplateStart) && uri.ends_with(kTemplateEnd) &&
            uri.size() > kTemplateStart.size() + kTemplateEnd.size()) {
            std::string id =
                uri.substr(kTemplateStart.size(), uri.size() - kTemplateStart.size() - kTemplateEnd.size());
            json::object data{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}};
            co_return text(uri, "application/json", json::serialize(data));
        }
        co_return std::nullopt;
    }

    std::optional<Access> completing(const CompletionRequest&) const override { return Access{kItself}; }

    Task<std::vector<std::string>> complete(CompletionRequest request, Client&) override {
        std::vector<std::string> values;
        if (request.uri_template != kTemplate || request.argument != "id") co_return values;
        for (const char* id : {"123", "124", "200"}) {
            if (std::string_view(id).starts_with(request.typed)) values.emplace_back(id);
        }
        co_return values;
    }

    void change() { ++revision_; }

private:
    static std::vector<ResourceContents> text(std::string uri, std::string mime_type, std::string text) {
        return {{.uri = std::move(uri), .mime_type = std::move(mime_type), .text = std::move(text)}};
    }

    int revision_ = 0;
};

Task<ToolResult> change_watched(FixtureResources& resources, Registry& registry) {
    resources.change();
    registry.resource_updated("test://watched-resource");
    co_return ToolResult::text("Changed test://watched-resource.");
}

}  // namespace

void add_resources(Registry& registry, Loop&) {
    auto resources = std::make_shared<FixtureResources>();
    registry.add(resources);
    registry.add(tool<NoParams>({
        .name = "test_trigger_resource_change",
        .title = "Change the watched resource",
        .description = "Changes test://watched-resource and tells its subscribers.",
        .effect = Effect::ChangesServer,
        .handler = [resources, &registry](Call, NoParams) { return change_watched(*resources, registry); },
    }));
}

}  // namespace conformance
