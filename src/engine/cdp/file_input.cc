#include "engine/cdp/file_input.h"

#include <algorithm>

#include "engine/cdp/fields.h"

namespace cdp {
namespace {

namespace fs = std::filesystem;

// The browser ignores an empty list of files.
constexpr std::string_view kClear = R"js(function() {
  if (!this.files.length) return;
  this.value = '';
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
})js";
constexpr std::string_view kNextInput =
    "function() { return new Promise(done => this.addEventListener('input', () => done(), { once: true })); "
    "}";

struct FileInput {
    bool takes_several = false;
    bool takes_directory = false;
};

FileInput input_from(const json::value& described) {
    FileInput input;
    const json::object* node = json::find_object(described.as_object(), "node");
    const json::array* attributes = node ? json::find_array(*node, "attributes") : nullptr;
    // Names and values alternate.
    for (std::size_t i = 0; attributes && i < attributes->size(); i += 2) {
        if ((*attributes)[i] == "multiple") input.takes_several = true;
        if ((*attributes)[i] == "webkitdirectory") input.takes_directory = true;
    }
    return input;
}

bool is_a_directory(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

bool has_file(const fs::path& directory) {
    std::error_code error;
    fs::recursive_directory_iterator entry(directory, error), end;
    for (; !error && entry != end; entry.increment(error)) {
        if (entry->is_regular_file(error)) return true;
    }
    return false;
}

// Uses Playwright's messages.
Result<void> check(const FileInput& input, const std::vector<fs::path>& files) {
    auto refused = [](std::string why) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "Error: " + std::move(why),
                     .hint = "Nothing was chosen. Give what this input takes."};
    };
    auto directories = std::ranges::count_if(files, is_a_directory);
    if (directories > 1) return refused("Multiple directories are not supported");
    if (directories == 1 && files.size() > 1)
        return refused("File paths must be all files or a single directory");
    if (files.size() > 1 && !input.takes_several && !input.takes_directory)
        return refused("Non-multiple file input can only accept single file");
    if (directories == 1 && !input.takes_directory)
        return refused("File input does not support directories, pass individual files instead");
    if (directories == 0 && input.takes_directory && !files.empty())
        return refused("[webkitdirectory] input requires passing a path to a directory");
    return ok();
}

Pending call_on(Session& session, const std::string& object, std::string_view function) {
    return session.begin(
        "Runtime.callFunctionOn",
        {{"objectId", object}, {"functionDeclaration", function}, {"awaitPromise", true}, {"silent", true}});
}

// In the page's own world, where its listeners are.
Task<std::string> object_of(std::shared_ptr<Session> session, json::object node) {
    if (node.contains("objectId")) co_return text_of(node, "objectId");
    json::value resolved = co_await session->send("DOM.resolveNode", std::move(node));
    const json::object* object = json::find_object(resolved.as_object(), "object");
    co_return object ? text_of(*object, "objectId") : "";
}

}  // namespace

Task<> put_files(std::shared_ptr<Session> session, json::object node, std::vector<fs::path> files) {
    co_await check(input_from(co_await session->send("DOM.describeNode", node)), files);
    std::string object = co_await object_of(session, std::move(node));
    if (files.empty()) {
        co_await (co_await call_on(*session, object, kClear));
        co_return;
    }
    json::array paths;
    for (const auto& file : files) paths.emplace_back(file.string());
    // Look up the files of the next directory while the browser is busy.
    std::optional<Pending> pending;
    if (is_a_directory(files.front()) && has_file(files.front()))
        pending = call_on(*session, object, kNextInput);
    co_await session->send("DOM.setFileInputFiles", {{"files", std::move(paths)}, {"objectId", object}});
    if (pending) co_await (co_await *pending);
}

}  // namespace cdp
