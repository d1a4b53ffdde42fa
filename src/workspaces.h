// Where the files of each session are.
#pragma once

#include "config/config.h"
#include "session/sessions.h"
#include "tools/client.h"

// Clients that run as this server's user on this machine work where they are, or where they say that their
// workspace is. Every other client has a folder below the output directory: each principal one, and of those
// who are nobody in particular each session.
class Workspaces {
public:
    Workspaces(const config::Config& config, std::filesystem::path directory);

    // For SessionsOptions::place_files.
    void place(const engine::Holder& holder, const std::string& id, const session::SessionSetup& setup,
               session::SessionOptions& options) const;
    // For upstream::Options::folder_of.
    std::filesystem::path ensure_folder(const tools::Caller& caller, const session::SessionKey& key) const;

private:
    // Of a client that is not this user's own.
    std::filesystem::path folder_of(const std::string& principal, const std::string& id) const;

    std::filesystem::path directory_;
    std::filesystem::path clients_;  // the folders are in here
    std::filesystem::path output_;
    bool trusts_roots_;
};
