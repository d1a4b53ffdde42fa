// The two agents of the isolation checks: clients of one server that is only for them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "doctor/isolation.h"
#include "doctor/isolation_pages.h"
#include "tools/catalog.h"

namespace doctor {

// What a call answered.
struct Reply {
    std::string text;
    std::vector<std::string> links;  // resources
    bool is_error = false;
};

// One client that stays, and what it may call. Lives on the main loop.
class Agent final : public tools::Client {
public:
    Agent(std::string name, const tools::Registry& registry) : registry_(registry) {
        caller_.connection = std::move(name);
    }

    // Fails only where the server does; what a tool refuses is an answer.
    Task<Reply> call(std::string tool, json::object arguments);
    // In the tab of that id; empty for the agent's own.
    Task<Reply> call_in(std::string tab, std::string tool, json::object arguments = {});
    // What the function gives, as text: JSON, or the error that it ended with.
    Task<std::string> evaluate(std::string function, std::string tab = {});
    // What the resource says; empty when there is none for this agent.
    Task<std::string> read(std::string uri);

    // A new tab there; gives its id.
    Task<std::string> open(std::string url);
    // The ids that this agent is shown.
    Task<std::vector<std::string>> tabs();

    const tools::Caller& caller() const override { return caller_; }
    bool answers(std::string_view) const override { return false; }
    void report_progress(double, std::optional<double>, std::string_view) override {}
    void log(tools::MessageLevel, std::string_view, json::value) override {}
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest> requests) override;

    std::string tab;  // its own, where it works

private:
    const tools::Registry& registry_;
    tools::Caller caller_;
};

// Everything that a check needs.
struct Stage {
    Loop& loop;
    const IsolationPages& pages;
    Agent& owner;     // has a secret
    Agent& intruder;  // is after it
    std::filesystem::path directory;

    // Wherever the intruder could look: its own tabs, all that it is shown, and the owner's by name.
    Task<std::vector<std::string>> reachable_tabs() const;
    // What the intruder learns there, all in one text.
    Task<std::string> look_everywhere(std::string tool, json::object arguments = {}) const;
};

}  // namespace doctor
