// Determines the directory of each session's files.
#pragma once

#include "config/config.h"
#include "session/sessions.h"
#include "tools/client.h"

// Clients that run as this server's user on this machine work in their own directory, or in the workspace
// that they name. Every other client has a folder below the output directory: one per principal, and one per
// session for clients without a principal.
class Workspaces {
public:
    Workspaces(const config::Config& config, std::filesystem::path directory);

    // For SessionsOptions::place_files.
    void place(const engine::SessionIdentity& identity, const std::string& id,
               const session::SessionSetup& setup, session::SessionOptions& options) const;
    // For upstream::Options::folder_of.
    std::filesystem::path ensure_folder(const tools::Caller& caller, const session::SessionKey& key) const;
    // For upstream::Options::output_of.
    std::filesystem::path output_for(const tools::Caller& caller, const session::SessionKey& key) const;

private:
    // The folder of a client that is not this user's own.
    std::filesystem::path folder_of(const std::string& principal, const std::string& id) const;

    std::filesystem::path directory_;
    std::filesystem::path clients_;  // the parent of these folders
    std::filesystem::path output_;
    std::filesystem::path chosen_output_;  // by the operator; empty: each workspace has its own
    bool trusts_roots_;
};
