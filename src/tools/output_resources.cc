// Files that answers link to, for clients that cannot read our disk.
#include "tools/output_resources.h"

#include "util/strings.h"

namespace tools {
namespace {

constexpr std::string_view kPrefix = "troupe:///output/";
constexpr std::uintmax_t kLargest = 32 << 20;

bool is_text(const std::string& mime_type) {
    return mime_type.starts_with("text/") || mime_type == "application/yaml" ||
           mime_type == "application/json";
}

// A name and nothing else: what lies in other directories is none of the client's business.
bool is_plain_name(std::string_view name) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return !name.empty() && name[0] != '.' && name.find_first_not_of(kPlain) == std::string_view::npos;
}

class OutputResources final : public ResourceProvider {
public:
    explicit OutputResources(Sessions sessions) : sessions_(std::move(sessions)) {}

    std::vector<Resource> list(const Caller&) const override { return {}; }
    std::vector<ResourceTemplate> templates() const override {
        return {{.uri_template = std::string(kPrefix) + "{file}",
                 .name = "output",
                 .title = "Output file",
                 .description = "A file that an answer of this session links to, such as a long snapshot."}};
    }
    // What answers link to is what tools have shown of pages.
    std::optional<Access> reading(const std::string& uri) const override {
        if (!uri.starts_with(kPrefix)) return std::nullopt;
        bool picture = mime_type_of(uri).starts_with("image/");
        return Access{{picture ? "browser_take_screenshot" : "browser_snapshot", "", Effect::ReadsPage}};
    }
    Task<std::optional<std::vector<ResourceContents>>> read(std::string uri, Client& client) override {
        std::string name = uri.substr(kPrefix.size());
        if (!is_plain_name(name)) co_return std::nullopt;
        std::shared_ptr<Session> session = co_await sessions_(client.caller());
        std::filesystem::path file = session->workspace().output_dir() / name;
        // Sessions may share the directory, but not what is in it.
        if (!session->workspace().owns(file)) co_return std::nullopt;
        co_return co_await read_file_resource(uri, std::move(session), file);
    }

private:
    Sessions sessions_;
};

}  // namespace

std::string mime_type_of(const std::filesystem::path& file) {
    std::string extension = to_lower(file.extension().string());
    if (extension == ".yml" || extension == ".yaml") return "application/yaml";
    if (extension == ".png" || extension == ".webp") return "image/" + extension.substr(1);
    if (extension == ".jpg" || extension == ".jpeg") return "image/jpeg";
    if (extension == ".json") return "application/json";
    if (extension == ".pdf") return "application/pdf";
    if (extension == ".md") return "text/markdown";
    return extension == ".log" || extension == ".txt" ? "text/plain" : "application/octet-stream";
}

std::optional<ResourceLink> output_link(const session::Workspace& workspace,
                                        const std::filesystem::path& file) {
    std::string name = file.filename().string();
    if (file.parent_path() != workspace.output_dir() || !is_plain_name(name)) return std::nullopt;
    return ResourceLink{.uri = std::string(kPrefix) + name, .name = name, .mime_type = mime_type_of(file)};
}

Task<std::optional<std::vector<ResourceContents>>> read_file_resource(
    std::string uri, std::shared_ptr<session::Session> session, std::filesystem::path file) {
    auto found = session->workspace().find(file);
    if (!found || !found->is_file || found->is_link) co_return std::nullopt;
    if (found->size > kLargest) {
        co_await Error{.code = ErrorCode::ResourceExhausted,
                       .message = file.filename().string() + " is too large to be read as a resource."};
    }
    std::string bytes = co_await session->workspace().read(file);
    ResourceContents contents{.uri = uri, .mime_type = mime_type_of(file)};
    if (is_text(contents.mime_type) && is_valid_utf8(bytes))
        contents.text = std::move(bytes);
    else
        contents.base64 = base64_encode(bytes);
    co_return std::vector<ResourceContents>{std::move(contents)};
}

std::shared_ptr<ResourceProvider> output_resources(Sessions sessions) {
    return std::make_shared<OutputResources>(std::move(sessions));
}

}  // namespace tools
