#include "workspaces.h"

#include "session/output_directory.h"
#include "util/crypto.h"
#include "util/private_directory.h"
#include "util/strings.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxName = 100;
constexpr std::size_t kHashLength = 16, kShortHashLength = 8;

std::string short_hash(const std::string& text) { return hex_encode(sha256(text)).substr(0, kHashLength); }

// Whether the name can be a directory's name unchanged.
bool is_plain(const std::string& name) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    return name.size() <= kMaxName && name.find_first_not_of(kPlain) == std::string::npos;
}

// A directory name that no other principal has.
std::string folder_name(const std::string& principal) {
    return is_plain(principal) ? "principal-" + principal : "principal." + short_hash(principal);
}

fs::path output_of(const fs::path& chosen, const fs::path& directory) {
    if (!chosen.empty()) return chosen;
    fs::path usual = directory / session::kOutputName;
    if (!session::is_too_wide(directory) && session::can_be_output(usual)) return usual;
    return session::private_directory() / session::kOutputName;
}

}  // namespace

Workspaces::Workspaces(const config::Config& config, fs::path directory)
    : directory_(std::move(directory)),
      chosen_output_(config.output_dir.empty() ? fs::path()
                                               : (directory_ / config.output_dir).lexically_normal()),
      trusts_roots_(config.server.trust_roots && !config.ignore_roots) {
    if (!config.server.port && config.server.socket.empty()) return;
    output_ = output_of(chosen_output_, directory_);
    clients_ = output_ / session::kClientsName;
}

fs::path Workspaces::folder_of(const std::string& principal, const std::string& id) const {
    return clients_ / (principal.empty() ? "session-" + short_hash(id) : folder_name(principal));
}

fs::path Workspaces::ensure_folder(const tools::Caller& caller, const session::SessionKey& key) const {
    if (caller.same_user || clients_.empty() || trusts_roots_) return {};
    fs::path folder = folder_of(caller.principal, key.owner + "\n" + key.name);
    // If this fails, the upstream server reports the missing folder.
    (void)ensure_private_directory(folder);
    return folder;
}

fs::path Workspaces::output_for(const tools::Caller& caller, const session::SessionKey& key) const {
    fs::path folder = ensure_folder(caller, key);
    fs::path workspace = caller.directory.empty() ? directory_ : fs::path(caller.directory);
    fs::path base = folder.empty() ? output_of(chosen_output_, workspace) : folder / session::kOutputName;
    std::string name = is_plain(key.name) && !key.name.empty() ? key.name : "session";
    return base / (name + "-" + short_hash(key.owner + "\n" + key.name).substr(0, kShortHashLength));
}

void Workspaces::place(const engine::SessionIdentity& identity, const std::string& id,
                       const session::SessionSetup& setup, session::SessionOptions& options) const {
    if (setup.same_user || clients_.empty()) {
        if (!setup.directory.empty()) options.working_directory = setup.directory;
        options.for_same_user = setup.same_user;
        return;
    }
    options.working_directory = folder_of(identity.principal, id);
    options.output_dir.clear();
    options.own_folder = true;
    options.trusts_roots = trusts_roots_;
    options.trimmed_directory = output_;
    options.profile_directory = directory_;
}
