// Files that answers link to, for clients that cannot read our disk.
#include "tools/output_resources.h"

#include <algorithm>

#include "tools/resource_address.h"
#include "tools/result_limit.h"
#include "util/off_loop.h"
#include "util/strings.h"

namespace tools {
namespace {

constexpr std::string_view kPrefix = "troupe:///output/";
constexpr std::string_view kUnknownType = "application/octet-stream";
constexpr std::uintmax_t kMaxBytes = 32 << 20;
constexpr std::size_t kMaxPartBytes = 1 << 20, kMinPartBytes = 1 << 10;

// A part never exceeds the limit of an answer, whatever escaping its bytes need.
std::size_t part_size(const session::Session& session) {
    std::size_t limit = session.options().budget.result_bytes.value_or(kMaxPartBytes * kMaxEscaped);
    return std::clamp(limit / kMaxEscaped, kMinPartBytes, kMaxPartBytes);
}

bool is_text(const std::string& mime_type) {
    return mime_type.starts_with("text/") || mime_type == "application/yaml" ||
           mime_type == "application/json";
}

// Whether a file of an unknown format can be read as text.
bool looks_like_text(std::string_view bytes) {
    auto is_control = [](char c) {
        auto byte = static_cast<unsigned char>(c);
        return byte == 0x7F || (byte < 0x20 && !std::string_view("\t\n\v\f\r").contains(c));
    };
    return is_valid_utf8(bytes) && std::ranges::none_of(bytes, is_control);
}

// A file name without directories: the client must not reach other directories.
bool is_plain_name(std::string_view name) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return !name.empty() && name[0] != '.' && name.find_first_not_of(kPlain) == std::string_view::npos;
}

// A part of a text begins and ends between characters.
std::string part(const std::string& bytes, std::size_t number, std::size_t size, bool as_text) {
    auto boundary = [&](std::size_t at) {
        at = std::min(at, bytes.size());
        while (as_text && at < bytes.size() && (static_cast<unsigned char>(bytes[at]) & 0xC0) == 0x80) --at;
        return at;
    };
    std::size_t begin = boundary((number - 1) * size);
    return bytes.substr(begin, boundary(number * size) - begin);
}

Error too_large(const std::string& uri, std::size_t size, std::size_t limit, std::uintmax_t parts) {
    return Error{
        .code = ErrorCode::ResourceExhausted,
        .message = "This resource is too large for one answer. " + over_limit(size, limit),
        .hint = "Read it in parts: " + uri + "?part=1 to " + uri + "?part=" + std::to_string(parts) + "."};
}

class OutputResources final : public ResourceProvider {
public:
    explicit OutputResources(SessionResolver sessions) : sessions_(std::move(sessions)) {}

    std::vector<Resource> list(const Caller&) const override { return {}; }
    std::vector<ResourceTemplate> templates() const override {
        return {{.uri_template = std::string(kPrefix) + "{file}",
                 .name = "output",
                 .title = "Output file",
                 .description = "A file that an answer of this session links to, such as a long snapshot."}};
    }
    // Answers link to files that tools made from pages.
    std::optional<Access> reading(const std::string& uri) const override {
        if (!uri.starts_with(kPrefix)) return std::nullopt;
        bool picture = mime_type_of(part_of(uri).uri).starts_with("image/");
        return Access{{picture ? "browser_take_screenshot" : "browser_snapshot", "", Effect::ReadsPage}};
    }
    Task<std::optional<std::vector<ResourceContents>>> read(std::string uri, Client& client) override {
        std::string name = part_of(uri).uri.substr(kPrefix.size());
        if (!is_plain_name(name)) co_return std::nullopt;
        std::shared_ptr<Session> session = co_await sessions_(client.caller());
        std::filesystem::path file = session->workspace().output_dir() / name;
        // Sessions may share the directory, but not each other's files.
        if (!session->workspace().owns(file)) co_return std::nullopt;
        co_return co_await read_file_resource(uri, std::move(session), file);
    }

private:
    SessionResolver sessions_;
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
    if (extension == ".html" || extension == ".htm") return "text/html";
    if (extension == ".csv" || extension == ".xml" || extension == ".css")
        return "text/" + extension.substr(1);
    if (extension == ".js" || extension == ".mjs") return "text/javascript";
    return extension == ".log" || extension == ".txt" ? "text/plain" : std::string(kUnknownType);
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
    if (found->size > kMaxBytes) {
        co_await Error{.code = ErrorCode::ResourceExhausted,
                       .message = file.filename().string() + " is too large to be read as a resource."};
    }
    std::string bytes = co_await session->workspace().read(file);
    std::size_t bytes_of_file = bytes.size();
    ResourceContents contents{.uri = uri, .mime_type = mime_type_of(file)};
    // Before the file is cut into parts, which may divide a secret.
    std::function<Result<std::string>()> redact =
        [redactor = session->secrets().redactor(), is_json = contents.mime_type == "application/json",
         bytes = std::move(bytes)]() mutable -> Result<std::string> {
        return is_json ? redactor.redact_json(std::move(bytes), Redactor::Numbers::Hide)
                       : redactor.redact_bytes(std::move(bytes));
    };
    bytes = co_await off_loop<std::string>(session->loop(), bytes_of_file, std::move(redact));
    bool is_unknown = contents.mime_type == kUnknownType;
    bool as_text = is_unknown ? looks_like_text(bytes) : is_text(contents.mime_type) && is_valid_utf8(bytes);
    if (is_unknown && as_text) contents.mime_type = "text/plain";
    auto [whole, number] = part_of(uri);
    std::size_t size_of_part = part_size(*session);
    std::uintmax_t parts = (bytes.size() + size_of_part - 1) / size_of_part;
    if (number) {
        if (*number > parts) co_return std::nullopt;
        bytes = part(bytes, *number, size_of_part, as_text);
    }
    if (as_text)
        contents.text = std::move(bytes);
    else
        contents.base64 = base64_encode(bytes);
    auto limit = session->options().budget.result_bytes;
    if (std::size_t size = size_of(contents); !number && limit && size > *limit)
        co_await too_large(whole, size, *limit, parts);
    co_return std::vector<ResourceContents>{std::move(contents)};
}

std::shared_ptr<ResourceProvider> output_resources(SessionResolver sessions) {
    return std::make_shared<OutputResources>(std::move(sessions));
}

}  // namespace tools
