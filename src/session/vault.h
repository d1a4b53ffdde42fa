// Where the state of sessions is kept while they have no browser.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
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
    // Whether what is saved outlives this process.
    virtual bool is_lasting() const = 0;
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
