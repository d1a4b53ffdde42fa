#include "workspaces.h"

#include "session/output_directory.h"
#include "util/crypto.h"
#include "util/private_directory.h"
#include "util/strings.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxName = 100;
constexpr std::size_t kHashLength = 16;

std::string short_hash(const std::string& text) { return hex_encode(sha256(text)).substr(0, kHashLength); }

// A name for a directory that no other principal has.
std::string folder_name(const std::string& principal) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    bool is_plain = principal.size() <= kMaxName && principal.find_first_not_of(kPlain) == std::string::npos;
    return is_plain ? "principal-" + principal : "principal." + short_hash(principal);
}

fs::path output_of(const config::Config& config, const fs::path& directory) {
    if (!config.output_dir.empty()) return (directory / config.output_dir).lexically_normal();
    fs::path usual = directory / session::kOutputName;
    if (!session::is_too_wide(directory) && session::can_be_output(usual)) return usual;
    return session::private_directory() / session::kOutputName;
}

}  // namespace

Workspaces::Workspaces(const config::Config& config, fs::path directory)
    : directory_(std::move(directory)), trusts_roots_(config.server.trust_roots) {
    if (!config.server.port && config.server.socket.empty()) return;
    output_ = output_of(config, directory_);
    clients_ = output_ / session::kClientsName;
}

fs::path Workspaces::folder_of(const std::string& principal, const std::string& id) const {
    return clients_ / (principal.empty() ? "session-" + short_hash(id) : folder_name(principal));
}

fs::path Workspaces::ensure_folder(const tools::Caller& caller, const session::SessionKey& key) const {
    if (caller.same_user || clients_.empty() || trusts_roots_) return {};
    fs::path folder = folder_of(caller.principal, key.owner + "\n" + key.name);
    // Where it cannot be made, the server that is told of it says so.
    (void)ensure_private_directory(folder);
    return folder;
}

void Workspaces::place(const engine::Holder& holder, const std::string& id,
                       const session::SessionSetup& setup, session::SessionOptions& options) const {
    if (setup.same_user || clients_.empty()) {
        if (!setup.directory.empty()) options.working_directory = setup.directory;
        options.for_same_user = setup.same_user;
        return;
    }
    options.working_directory = folder_of(holder.principal, id);
    options.output_dir.clear();
    options.own_folder = true;
    options.trusts_roots = trusts_roots_;
    options.trimmed_directory = output_;
    options.profile_directory = directory_;
}
