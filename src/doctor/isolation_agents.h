// The two agents of the isolation checks: clients of a server that only they use.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "doctor/isolation.h"
#include "doctor/isolation_pages.h"
#include "tools/catalog.h"

namespace doctor {

// The result of a call.
struct Reply {
    std::string text;
    std::vector<std::string> links;  // resources
    bool is_error = false;
};

// One client with a lasting connection, and its tools. Lives on the main loop.
class Agent final : public tools::Client {
public:
    Agent(std::string name, const tools::Registry& registry) : registry_(registry) {
        caller_.connection = std::move(name);
    }

    // Fails only when the server does; a tool's refusal is an answer.
    Task<Reply> call(std::string tool, json::object arguments);
    // Calls the tool in the tab of that id; an empty id means the agent's own.
    Task<Reply> call_in(std::string tab, std::string tool, json::object arguments = {});
    // Returns the function's result as text: JSON, or the error that it threw.
    Task<std::string> evaluate(std::string function, std::string tab = {});
    // Returns the resource's text; empty when this agent cannot read it.
    Task<std::string> read(std::string uri);

    // Opens a new tab there and returns its id.
    Task<std::string> open(std::string url);
    // The ids of the tabs that this agent can list.
    Task<std::vector<std::string>> tabs();

    const tools::Caller& caller() const override { return caller_; }
    bool answers(std::string_view) const override { return false; }
    void report_progress(double, std::optional<double>, std::string_view) override {}
    void log(tools::MessageLevel, std::string_view, json::value) override {}
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest> requests) override;

    std::string tab;  // its own working tab

private:
    const tools::Registry& registry_;
    tools::Caller caller_;
};

// The objects that a check needs.
struct Stage {
    Loop& loop;
    const IsolationPages& pages;
    Agent& owner;     // has a secret
    Agent& intruder;  // tries to find it
    std::filesystem::path directory;

    // All tabs that the intruder could address: its own, those it can list, and the owner's by name.
    Task<std::vector<std::string>> reachable_tabs() const;
    // Calls the tool in all reachable tabs and returns the combined text.
    Task<std::string> look_everywhere(std::string tool, json::object arguments = {}) const;
};

}  // namespace doctor
