// Where the state of sessions is kept while they have no browser.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "util/task.h"

namespace session {

// Keeps one text for each id. Lives on the main loop.
class Vault {
public:
    virtual ~Vault() = default;

    // In the place of what was saved before. Ends when it is safe.
    virtual Task<> save(std::string id, std::string state) = 0;
    // Nothing when there is none.
    virtual Task<std::optional<std::string>> load(std::string id) = 0;
    virtual void forget(std::string id) = 0;
    // Those that may be loaded.
    virtual Task<std::vector<std::string>> ids() = 0;
    // Whether saving is likely to succeed now.
    virtual bool is_available() const { return true; }
    // Whether what is saved outlives this process.
    virtual bool is_lasting() const = 0;

    // Keeps other servers from the id until the last copy is dropped; null while another one has it.
    virtual std::shared_ptr<void> lease(const std::string& id) = 0;
    // The process of the other server that has it; 0: none.
    virtual pid_t lease_holder(const std::string& id) const = 0;
};

// As long as the process lives; the oldest go first when there are too many.
class MemoryVault final : public Vault {
public:
    explicit MemoryVault(std::size_t most = 10'000) : most_(most) {}

    Task<> save(std::string id, std::string state) override;
    Task<std::optional<std::string>> load(std::string id) override;
    void forget(std::string id) override;
    Task<std::vector<std::string>> ids() override;
    bool is_lasting() const override { return false; }
    // No other server sees into this process.
    std::shared_ptr<void> lease(const std::string&) override { return std::make_shared<int>(); }
    pid_t lease_holder(const std::string&) const override { return 0; }

private:
    struct Kept {
        std::string state;
        std::list<std::string>::iterator age;
    };
    std::size_t most_;
    std::map<std::string, Kept> kept_;
    std::list<std::string> ages_;  // the oldest first
};

}  // namespace session
